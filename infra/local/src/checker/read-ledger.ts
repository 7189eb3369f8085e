import type { z } from 'zod';
import { railLedgerLineSchema } from '../rail-simulator/instruction.js';
import type { RailLedgerLine } from '../rail-simulator/instruction.js';
import { sinkLedgerLineSchema } from '../webhook-sink/sink.js';
import type { SinkLedgerLine } from '../webhook-sink/sink.js';

/** The lines of a rail ledger, from its file or from `GET /ledger`. Throws on a line that is none. */
export function readRailLedger(ndjson: string): RailLedgerLine[] {
  return readLines(ndjson, railLedgerLineSchema);
}

export function readSinkLedger(ndjson: string): SinkLedgerLine[] {
  return readLines(ndjson, sinkLedgerLineSchema);
}

function readLines<Line>(ndjson: string, schema: z.ZodType<Line>): Line[] {
  return ndjson
    .split('\n')
    .filter((text) => text !== '')
    .map((text) => schema.parse(JSON.parse(text)));
}
