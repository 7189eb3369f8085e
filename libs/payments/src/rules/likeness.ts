import { fingerprintOf } from '../fingerprint.js';
import type { PaymentRequest } from '../request.js';

/** The same for payments of one participant, over one rail, of one amount, to one destination. */
export function likenessOf({ participantId, rail, amount, destination }: PaymentRequest): string {
  return fingerprintOf({ participantId, rail, amount, destination });
}
