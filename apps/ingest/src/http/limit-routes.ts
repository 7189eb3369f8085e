import type { ParticipantId, StoredLimit } from '@sluice/payments';
import { route, type Route } from '@sluice/service-kit/http';
import type { ParticipantLimits } from '../ports.js';
import { problems, reached } from './problems.js';
import { limitBody, limitParams, limitsAnswer, participantParams } from './schemas.js';

/** How much participants may send. `*` stands for everyone without a limit of its own in the currency. */
export function limitRoutes(limits: ParticipantLimits): readonly Route[] {
  return [
    route({
      method: 'get',
      path: '/api/v1/participants/:participantId/limits',
      scope: 'limits:read',
      summary: 'Show how much a participant may send',
      params: participantParams,
      answers: { 200: { description: 'One entry a currency', schema: limitsAnswer } },
      problems: [problems.paymentsUnavailable],
      handle: async ({ params: { participantId } }) => ({
        status: 200,
        body: await describeLimits(limits, participantId),
      }),
    }),
    route({
      method: 'put',
      path: '/api/v1/participants/:participantId/limits/:currency',
      scope: 'limits:admin',
      summary: 'Set how much a participant may send in one currency',
      description:
        'Holds for payments that are judged from now on; `*` is for everyone without an entry of its own.',
      params: limitParams,
      body: limitBody,
      answers: { 200: { description: 'As it stands now', schema: limitsAnswer } },
      problems: [problems.paymentsUnavailable],
      async handle({ params: { participantId, currency }, body, caller, log }) {
        const limit = {
          perPaymentMinorUnits: toBound(body.perPaymentMinorUnits),
          perDayMinorUnits: toBound(body.perDayMinorUnits),
          perDayPayments: body.perDayPayments,
        };
        await reached(limits.set({ participantId, currency, limit, by: caller.id }));
        log.info({ participantId, currency, by: caller.id, ...body }, 'limit set');
        return { status: 200, body: await describeLimits(limits, participantId) };
      },
    }),
  ];
}

async function describeLimits(limits: ParticipantLimits, participantId: ParticipantId | '*') {
  return { limits: (await reached(limits.list(participantId))).map(describeLimit) };
}

function describeLimit({ perPaymentMinorUnits, perDayMinorUnits, updatedAt, ...rest }: StoredLimit) {
  return {
    ...rest,
    perPaymentMinorUnits: fromBound(perPaymentMinorUnits),
    perDayMinorUnits: fromBound(perDayMinorUnits),
    updatedAt: updatedAt.toISOString(),
  };
}

const toBound = (bound: number | null) => (bound === null ? null : BigInt(bound));
const fromBound = (bound: bigint | null) => (bound === null ? null : Number(bound));
