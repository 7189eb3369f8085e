import { randomBytes } from 'node:crypto';
import { validateRequest, type PaymentRequest, type Reason } from '@sluice/payments';
import { route, type Route } from '@sluice/service-kit/http';
import type { Acceptance, AcceptPayments } from '../accept-payments.js';
import type { RequestKeys } from '../ports.js';
import { traceOf } from '../trace.js';
import type { UploadPayments, UploadReport } from '../upload-payments.js';
import { cannotTakeIn, problems } from './problems.js';
import { claimRequestKey, requestKeyHeader, traceHeader } from './request-key.js';
import { batchAnswer, batchBody, mostPaymentsPerBatch, paymentBody, uploadAnswer } from './schemas.js';

export interface BulkRouteParts {
  readonly acceptPayments: AcceptPayments;
  readonly requestKeys: RequestKeys;
  readonly uploadPayments: UploadPayments;
}

const ndjson = 'application/x-ndjson';

/** Many payments in one request. */
export function bulkRoutes(parts: BulkRouteParts): readonly Route[] {
  return [batch(parts), upload(parts)];
}

function batch({ acceptPayments, requestKeys }: BulkRouteParts): Route {
  return route({
    method: 'post',
    path: '/api/v1/payments/batch',
    scope: 'payments:write',
    summary: `Take in up to ${mostPaymentsPerBatch} payments, each answered for itself`,
    description: 'One that is refused holds up none of the others. Safe to repeat as a whole or in part.',
    headers: { ...requestKeyHeader, ...traceHeader },
    body: batchBody,
    // The longest payment has less than 2 KB.
    bodyLimitBytes: mostPaymentsPerBatch * 2048,
    answers: { 200: { description: 'What became of each', schema: batchAnswer } },
    problems: [problems.keyMalformed, problems.keyReused, problems.intakeUnavailable],
    async handle({ body, headers, caller }) {
      await claimRequestKey(requestKeys, { headers, caller, body });
      const traceparent = traceOf(headers['traceparent'], randomBytes);
      const validations = body.payments.map(validateRequest);
      const valid = validations.flatMap((one) => (one.kind === 'valid' ? [one.request] : []));
      const arrivals = valid.map((request) => ({ request, traceparent }));
      const acceptances = await acceptPayments(arrivals, { intake: 'batch', sentBy: caller.id });
      const [first] = acceptances;
      if (first?.kind === 'unavailable' && acceptances.every(({ kind }) => kind === 'unavailable'))
        throw cannotTakeIn(first.cause);
      return {
        status: 200,
        body: describeBatch(validations, new Map(valid.map((one, i) => [one, acceptances[i]]))),
      };
    },
  });
}

function describeBatch(
  validations: readonly ReturnType<typeof validateRequest>[],
  acceptances: ReadonlyMap<PaymentRequest, Acceptance | undefined>,
) {
  const results = validations.map((validation, index) => {
    if (validation.kind === 'invalid') return { index, outcome: 'invalid', problem: validation.reason };
    const { paymentId } = validation.request;
    const outcome = acceptances.get(validation.request)?.kind ?? 'unavailable';
    return { index, paymentId, outcome, problem: problemsOfItems[outcome] };
  });
  const count = (...outcomes: string[]) => results.filter(({ outcome }) => outcomes.includes(outcome)).length;
  return {
    accepted: count('accepted'),
    repeated: count('repeated'),
    refused: count('conflict', 'invalid', 'unavailable'),
    results,
  };
}

const problemsOfItems: Readonly<Record<Acceptance['kind'], Reason | undefined>> = {
  accepted: undefined,
  repeated: undefined,
  conflict: { code: problems.paymentConflict.code, detail: problems.paymentConflict.description },
  unavailable: { code: problems.intakeUnavailable.code, detail: problems.intakeUnavailable.description },
};

function upload({ uploadPayments }: BulkRouteParts): Route {
  return route({
    method: 'post',
    path: '/api/v1/payments/upload',
    scope: 'payments:write',
    summary: 'Take in any number of payments, one a line',
    description:
      'The answer begins at once and tells of every refused line and of the progress. Its last line is `done`, or `stopped` with ' +
      'the number of lines that are settled: send the file again from there, or as a whole, which does no harm.',
    headers: traceHeader,
    bodyStream: { mediaType: ndjson, item: paymentBody },
    answers: { 200: { description: 'One report a line', mediaType: ndjson, schema: uploadAnswer } },
    async handle({ stream, headers, caller }) {
      const traceparent = traceOf(headers['traceparent'], randomBytes);
      const reports = uploadPayments({ bytes: stream, callerId: caller.id, traceparent });
      return {
        status: 200,
        headers: { 'content-type': ndjson, connection: 'close' },
        body: asLines(reports),
      };
    },
  });
}

async function* asLines(reports: AsyncIterable<UploadReport>): AsyncGenerator<string> {
  for await (const report of reports) yield `${JSON.stringify(report)}\n`;
}
