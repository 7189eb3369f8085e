import type { Lease } from './ports.js';

/** One instruction may be claimed twice by the same process, under two tokens: the id alone does not name a lease. */
export function leaseKey({ outboxId, token }: Lease): string {
  return `${outboxId}/${token}`;
}
