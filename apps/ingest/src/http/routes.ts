import { z } from 'zod';
import { formatAmount, PaymentId, PaymentRequest, type Payment } from '@sluice/payments';
import { ProblemError, route, type Answer, type Route } from '@sluice/service-kit/http';
import type { AcceptPayment } from '../accept-payment.js';
import type { ViewPayment } from '../view-payment.js';

interface UseCases {
  readonly acceptPayment: AcceptPayment;
  readonly viewPayment: ViewPayment;
}

export function createRoutes({ acceptPayment, viewPayment }: UseCases): readonly Route[] {
  return [
    route({
      method: 'post',
      path: '/api/v1/payments',
      scope: 'payments:write',
      summary: 'Take in one payment. Safe to repeat: one paymentId is one payment for ever.',
      body: PaymentRequest,
      async handle({ body }) {
        const acceptance = await acceptPayment(body);
        switch (acceptance.kind) {
          case 'accepted':
            return received(body.paymentId);
          case 'conflict':
            throw conflict(body.paymentId);
          case 'unavailable':
            throw cannotTakeIn(acceptance.cause);
        }
      },
    }),
    route({
      method: 'get',
      path: '/api/v1/payments/:paymentId',
      scope: 'payments:read',
      summary: 'One payment as it stands.',
      params: z.strictObject({ paymentId: PaymentId }),
      async handle({ params: { paymentId } }) {
        const sighting = await viewPayment(paymentId);
        switch (sighting.kind) {
          case 'found':
            return { status: 200, body: describePayment(sighting.payment) };
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
    }),
  ];
}

function received(paymentId: PaymentId): Answer {
  const location = `/api/v1/payments/${paymentId}`;
  return { status: 202, headers: { location }, body: { paymentId, status: 'RECEIVED' } };
}

/** What a reader may see. The destination stays inside: who may look up a payment need not know the account. */
function describePayment(payment: Payment) {
  return {
    paymentId: payment.paymentId,
    status: payment.status,
    reason: payment.reason ?? undefined,
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

function conflict(paymentId: PaymentId): ProblemError {
  return new ProblemError({
    status: 409,
    code: 'PAYMENT_CONFLICT',
    title: 'Another payment has this id',
    detail: `Payment ${paymentId} was taken in before with another content. Nothing was changed; a different payment needs a paymentId of its own.`,
  });
}

function unknown(paymentId: PaymentId): ProblemError {
  return new ProblemError({
    status: 404,
    code: 'PAYMENT_UNKNOWN',
    title: 'No such payment',
    detail: `No payment ${paymentId} was taken in.`,
  });
}

function cannotTakeIn(cause: unknown): ProblemError {
  return unavailable(cause, {
    code: 'INTAKE_UNAVAILABLE',
    title: 'Payments cannot be taken in at the moment',
    detail: 'Nothing was promised. Send the same request again; it cannot be taken in twice.',
  });
}

function cannotLook(cause: unknown): ProblemError {
  return unavailable(cause, {
    code: 'PAYMENTS_UNAVAILABLE',
    title: 'Payments cannot be looked up at the moment',
    detail: 'Whether there is such a payment is not known. Ask again.',
  });
}

function unavailable(cause: unknown, words: { code: string; title: string; detail: string }): ProblemError {
  return new ProblemError({ ...words, status: 503, headers: { 'retry-after': '5' } }, { cause });
}
