import type { BindParameter } from 'oracledb';
import type { OracleDriver } from './oracle-driver.js';

/** Widest encodings of the columns in bytes; a character takes up to four. */
export const widest = { itemType: 128, itemId: 800, workflowId: 4_000, word: 64 } as const;

export type Binds = ReturnType<typeof createBinds>;

/** Bind values with their types spelled out, since the driver's guesses are wrong for dates and for null. */
export function createBinds(driver: OracleDriver) {
  const { BIND_OUT, DB_TYPE_NUMBER, DB_TYPE_TIMESTAMP_TZ, DB_TYPE_VARCHAR } = driver;
  return {
    text: (val: string | null): BindParameter => ({ val, type: DB_TYPE_VARCHAR }),
    number: (val: number): BindParameter => ({ val, type: DB_TYPE_NUMBER }),
    /** Without its zone a date would travel in the zone of the process. */
    instant: (date: Date | null): BindParameter => ({
      val: date && validInstant(date),
      type: DB_TYPE_TIMESTAMP_TZ,
    }),
    texts: (list: readonly string[]): BindParameter => ({ val: [...list], type: DB_TYPE_VARCHAR }),
    outWord: (): BindParameter => ({ dir: BIND_OUT, type: DB_TYPE_VARCHAR, maxSize: widest.word }),
    outNumber: (): BindParameter => ({ dir: BIND_OUT, type: DB_TYPE_NUMBER }),
    outWords: (maxArraySize: number): BindParameter => ({
      dir: BIND_OUT,
      type: DB_TYPE_VARCHAR,
      maxSize: widest.itemId,
      maxArraySize,
    }),
    outNumbers: (maxArraySize: number): BindParameter => ({
      dir: BIND_OUT,
      type: DB_TYPE_NUMBER,
      maxArraySize,
    }),
  };
}

/** The driver would send an invalid date as some bytes or other. */
export function validInstant(instant: Date): Date {
  if (Number.isNaN(instant.getTime())) throw new RangeError('the date is not a valid one');
  return instant;
}

/** A row under the names that PostgreSQL gives its columns. */
export function toRow<R>(row: Readonly<Record<string, unknown>>): R {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name.toLowerCase(), value])) as R;
}
