import type { IncomingHttpHeaders } from 'node:http';
import { fingerprintOf } from '@sluice/payments';
import type { Caller } from '@sluice/service-kit/http';
import type { RequestKeys } from '../ports.js';
import { cannotTakeIn, problem, problems } from './problems.js';

interface KeyedRequest {
  readonly headers: IncomingHttpHeaders;
  readonly caller: Caller;
  readonly body: unknown;
}

/** A caller's key belongs to the first body that came with it; another one is refused before anything is done. */
export async function claimRequestKey(keys: RequestKeys, request: KeyedRequest): Promise<void> {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return;
  if (typeof key !== 'string' || !/^[\x21-\x7e]{1,200}$/.test(key)) {
    throw problem(problems.keyMalformed, {
      title: 'The Idempotency-Key is malformed',
      detail: 'It must be 1 to 200 printable ASCII characters without blanks.',
    });
  }
  const claim = { callerId: request.caller.id, key, fingerprint: fingerprintOf(request.body) };
  const outcome = await keys.claim(claim).catch((cause: unknown) => {
    throw cannotTakeIn(cause);
  });
  if (outcome !== 'other') return;
  throw problem(problems.keyReused, {
    title: 'The Idempotency-Key was used before',
    detail:
      'This key came before with another body. Nothing was changed; another request needs a key of its own.',
  });
}

export const requestKeyHeader = {
  'Idempotency-Key':
    'Names this request; the same key with another body is refused. Ids of payments do that too.',
};
export const traceHeader = { traceparent: 'W3C trace context; the payment carries it on.' };
