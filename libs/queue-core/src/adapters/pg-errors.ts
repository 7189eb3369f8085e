import { QueueStoreError } from '../errors.js';

// SQLSTATE classes whose failures pass by themselves: connection, transaction rollback, resources, operator, system.
const passingClasses = new Set(['08', '40', '53', '55', '57', '58']);

const sqlState = /^[0-9A-Z]{5}$/;

/** What has no SQLSTATE never reached the server (refused, reset, pool exhausted), so it may pass later. */
export function toStoreError(operation: string, cause: unknown): QueueStoreError {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  const refused = typeof code === 'string' && sqlState.test(code) && !passingClasses.has(code.slice(0, 2));
  return new QueueStoreError({ code: refused ? 'STORE_REFUSED' : 'STORE_UNAVAILABLE', operation, cause });
}
