import { QueueStoreError } from '../errors.js';

const passing = new Set([
  // Locks and snapshots that another session was in the way of.
  'ORA-00054',
  'ORA-00060',
  'ORA-01555',
  'ORA-04021',
  'ORA-08177',
  'ORA-30006',
  // A package was replaced while this session knew the old one.
  'ORA-04061',
  'ORA-04065',
  'ORA-04068',
  // Sessions, space and undo that have run out.
  'ORA-00018',
  'ORA-00020',
  'ORA-00257',
  'ORA-01536',
  'ORA-01652',
  'ORA-01653',
  'ORA-01654',
  'ORA-01691',
  'ORA-30036',
  // Cancelled, or the database is starting, stopping or switching over.
  'ORA-01013',
  'ORA-01033',
  'ORA-01034',
  'ORA-01089',
  'ORA-01090',
  'ORA-01109',
  'ORA-16456',
  // The pool: closing, closed, no connection in time, too many waiting.
  'NJS-040',
  'NJS-064',
  'NJS-065',
  'NJS-076',
  // The call took too long. What it did is unknown, and every call can be repeated.
  'NJS-123',
]);

/** From 500 on NJS errors are about the network; of those, these are about how it was set up and will not pass. */
const wrongSetup = new Set([
  'NJS-505',
  'NJS-506',
  'NJS-507',
  'NJS-508',
  'NJS-512',
  'NJS-514',
  'NJS-515',
  'NJS-516',
  'NJS-517',
  'NJS-520',
  'NJS-529',
]);

/** What has no code of Oracle or its driver never reached the server, so it may pass later. */
export function toStoreError(operation: string, cause: unknown): QueueStoreError {
  if (cause instanceof QueueStoreError) return cause;
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return new QueueStoreError({
    code: isRefusal(code) ? 'STORE_REFUSED' : 'STORE_UNAVAILABLE',
    operation,
    cause,
  });
}

function isRefusal(code: unknown): boolean {
  if (typeof code !== 'string' || !/^(?:ORA|NJS)-\d+$/.test(code) || passing.has(code)) return false;
  return !/^NJS-5\d\d$/.test(code) || wrongSetup.has(code);
}
