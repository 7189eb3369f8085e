import type { BindParameter } from 'oracledb';
import type { OracleDriver } from './oracle-driver.js';

/** Longest text that comes back, in bytes; a character takes up to four. */
const WIDEST_WORD = 512;

export type Binds = ReturnType<typeof createBinds>;

/** Bind values with their types spelled out, since the driver's guess is wrong for null. */
export function createBinds({ BIND_OUT, DB_TYPE_NUMBER, DB_TYPE_VARCHAR }: OracleDriver) {
  return {
    text: (val: string | null): BindParameter => ({ val, type: DB_TYPE_VARCHAR }),
    number: (val: number | null): BindParameter => ({ val, type: DB_TYPE_NUMBER }),
    texts: (list: readonly string[]): BindParameter => ({ val: [...list], type: DB_TYPE_VARCHAR }),
    /** A PL/SQL list has one element at least, since the driver refuses to bind an empty one. */
    numbers: (list: readonly number[]): BindParameter => ({
      val: list.length === 0 ? [0] : [...list],
      type: DB_TYPE_NUMBER,
    }),
    outWord: (): BindParameter => ({ dir: BIND_OUT, type: DB_TYPE_VARCHAR, maxSize: WIDEST_WORD }),
    outNumber: (): BindParameter => ({ dir: BIND_OUT, type: DB_TYPE_NUMBER }),
    outWords: (maxArraySize: number): BindParameter => ({
      dir: BIND_OUT,
      type: DB_TYPE_VARCHAR,
      maxSize: WIDEST_WORD,
      maxArraySize,
    }),
    outNumbers: (maxArraySize: number): BindParameter => ({
      dir: BIND_OUT,
      type: DB_TYPE_NUMBER,
      maxArraySize,
    }),
  };
}
