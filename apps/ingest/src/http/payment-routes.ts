import { randomBytes } from 'node:crypto';
import { formatAmount, type Payment, type PaymentId, type Reason } from '@sluice/payments';
import { route, type Answer, type Route } from '@sluice/service-kit/http';
import type { AcceptPayments } from '../accept-payments.js';
import type { CancelPayment } from '../cancel-payment.js';
import type { ComposeTimeline } from '../compose-timeline.js';
import type { PaymentViews, RequestKeys } from '../ports.js';
import { traceOf } from '../trace.js';
import type { ViewPayment } from '../view-payment.js';
import { writeCursor } from './cursor.js';
import { cannotLook, cannotTakeIn, conflict, problem, problems, reached, unknown } from './problems.js';
import { claimRequestKey, requestKeyHeader, traceHeader } from './request-key.js';
import {
  cancelBody,
  listAnswer,
  listQuery,
  paymentAnswer,
  paymentBody,
  paymentParams,
  receivedAnswer,
  timelineAnswer,
} from './schemas.js';

export interface PaymentRouteParts {
  readonly acceptPayments: AcceptPayments;
  readonly requestKeys: RequestKeys;
  readonly viewPayment: ViewPayment;
  readonly views: Pick<PaymentViews, 'list'>;
  readonly cancelPayment: CancelPayment;
  readonly composeTimeline: ComposeTimeline;
}

/** One payment, and the list of them. */
export function paymentRoutes(parts: PaymentRouteParts): readonly Route[] {
  return [takeIn(parts), list(parts), show(parts), cancel(parts), showTimeline(parts)];
}

function takeIn({ acceptPayments, requestKeys }: PaymentRouteParts): Route {
  return route({
    method: 'post',
    path: '/api/v1/payments',
    scope: 'payments:write',
    summary: 'Take in one payment. Safe to repeat: one paymentId is one payment for ever',
    headers: { ...requestKeyHeader, ...traceHeader },
    body: paymentBody,
    answers: {
      202: { description: 'It will reach a terminal state; `Location` is where', schema: receivedAnswer },
    },
    problems: [
      problems.keyMalformed,
      problems.paymentConflict,
      problems.keyReused,
      problems.intakeUnavailable,
    ],
    async handle({ body, headers, caller }) {
      await claimRequestKey(requestKeys, { headers, caller, body });
      const traceparent = traceOf(headers['traceparent'], randomBytes);
      const origin = { intake: 'single', sentBy: caller.id } as const;
      const [acceptance] = await acceptPayments([{ request: body, traceparent }], origin);
      switch (acceptance?.kind) {
        case 'accepted':
        case 'repeated':
          return received(body.paymentId);
        case 'conflict':
          throw conflict(body.paymentId);
        case 'unavailable':
          throw cannotTakeIn(acceptance.cause);
        case undefined:
          throw new Error('the payment was not answered for');
      }
    },
  });
}

function received(paymentId: PaymentId): Answer {
  const location = `/api/v1/payments/${paymentId}`;
  return { status: 202, headers: { location }, body: { paymentId, status: 'RECEIVED' } };
}

function list({ views }: PaymentRouteParts): Route {
  return route({
    method: 'get',
    path: '/api/v1/payments',
    scope: 'payments:read',
    summary: 'List payments, newest first',
    description: 'Payments that Phase A has written; one that was just sent appears within moments.',
    query: listQuery,
    answers: { 200: { description: 'One page', schema: listAnswer } },
    problems: [problems.paymentsUnavailable],
    async handle({ query: { limit, cursor, ...filter } }) {
      const page = await reached(views.list(filter, { after: cursor, limit }));
      return {
        status: 200,
        body: {
          payments: page.payments.map((payment) => describePayment(payment)),
          nextCursor: page.next === null ? null : writeCursor(page.next),
        },
      };
    },
  });
}

function show({ viewPayment }: PaymentRouteParts): Route {
  return route({
    method: 'get',
    path: '/api/v1/payments/:paymentId',
    scope: 'payments:read',
    summary: 'Show one payment as it stands',
    params: paymentParams,
    answers: { 200: { description: 'As it stands; RECEIVED while Phase A runs', schema: paymentAnswer } },
    problems: [problems.paymentUnknown, problems.paymentsUnavailable],
    async handle({ params: { paymentId } }) {
      const sighting = await viewPayment(paymentId);
      switch (sighting.kind) {
        case 'found':
          return { status: 200, body: describePayment(sighting.payment, sighting.flags) };
        case 'received':
          return {
            status: 200,
            body: { paymentId, status: 'RECEIVED', receivedAt: sighting.receivedAt.toISOString() },
          };
        case 'unknown':
          throw unknown(paymentId);
        case 'unavailable':
          throw cannotLook(sighting.cause);
      }
    },
  });
}

function cancel({ cancelPayment, viewPayment }: PaymentRouteParts): Route {
  return route({
    method: 'post',
    path: '/api/v1/payments/:paymentId/cancel',
    scope: 'payments:write',
    summary: 'Take a payment back that has not been dispatched',
    description: 'Safe to repeat. What the dispatcher holds or has started cannot be taken back.',
    params: paymentParams,
    body: cancelBody,
    answers: { 200: { description: 'It will never run', schema: paymentAnswer } },
    problems: [
      problems.paymentUnknown,
      problems.notCancellable,
      problems.beingTakenIn,
      problems.paymentsUnavailable,
    ],
    async handle({ params: { paymentId }, body: { reason }, caller, log }) {
      const outcome = await reached(cancelPayment({ paymentId, reason, by: caller.id }));
      const sighting = await viewPayment(paymentId);
      if (outcome.kind === 'cancelled' && sighting.kind === 'found') {
        log.info({ paymentId, by: caller.id, reason }, 'payment cancelled');
        return { status: 200, body: describePayment(sighting.payment, sighting.flags) };
      }
      if (outcome.kind === 'refused') throw notCancellable(paymentId, outcome);
      if (sighting.kind === 'unknown') throw unknown(paymentId);
      if (sighting.kind === 'unavailable') throw cannotLook(sighting.cause);
      throw problem(problems.beingTakenIn, {
        title: 'The payment is being taken in',
        detail: `Payment ${paymentId} has not reached the queue yet. Ask again shortly.`,
      });
    },
  });
}

function notCancellable(paymentId: PaymentId, at: { status: string; queueStatus: string | null }) {
  const where = at.queueStatus === null ? at.status : `${at.status}, and ${at.queueStatus} in the queue`;
  return problem(problems.notCancellable, {
    title: 'The payment cannot be cancelled any more',
    detail: `Payment ${paymentId} is ${where}. Only a payment that waits in the queue can be taken back.`,
    extensions: { paymentStatus: at.status, queueStatus: at.queueStatus },
  });
}

function showTimeline({ composeTimeline }: PaymentRouteParts): Route {
  return route({
    method: 'get',
    path: '/api/v1/payments/:paymentId/timeline',
    scope: 'payments:read',
    summary: 'Show everything that happened to one payment, in the order of time',
    description: 'Composed from the services that own the parts; a part that does not answer is named.',
    params: paymentParams,
    answers: { 200: { description: 'Its steps, and which parts they are from', schema: timelineAnswer } },
    problems: [problems.paymentUnknown, problems.paymentsUnavailable],
    async handle({ params: { paymentId } }) {
      const timeline = await reached(composeTimeline(paymentId));
      if (timeline === undefined) throw unknown(paymentId);
      return { status: 200, body: timeline };
    },
  });
}

/** What a reader may see. The destination stays inside: who may look up a payment need not know the account. */
function describePayment(payment: Payment, flags: readonly Reason[] = []) {
  return {
    paymentId: payment.paymentId,
    status: payment.status,
    reason: payment.reason ?? undefined,
    flags: flags.length === 0 ? undefined : flags,
    participantId: payment.participantId ?? undefined,
    rail: payment.rail ?? undefined,
    amount: payment.amount === null ? undefined : { ...payment.amount, text: formatAmount(payment.amount) },
    reference: payment.reference ?? undefined,
    executeAt: payment.executeAt?.toISOString(),
    scheduledTime: payment.scheduledTime?.toISOString(),
    expectedSettlementDate: payment.expectedSettlementDate ?? undefined,
    createdAt: payment.createdAt.toISOString(),
    updatedAt: payment.updatedAt.toISOString(),
  };
}
