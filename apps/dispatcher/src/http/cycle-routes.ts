import { route } from '@sluice/service-kit/http';
import type { Route } from '@sluice/service-kit/http';
import { triggerCycle } from '../trigger-cycle.js';
import type { TriggerParts } from '../trigger-cycle.js';
import { conflict, problems, reached, temporalUnavailable, unknownItemType } from './problems.js';
import { reasonBody, triggeredAnswer, typeParams } from './schemas.js';

export function cycleRoutes(parts: TriggerParts): readonly Route[] {
  return [
    route({
      method: 'post',
      path: '/api/v1/dispatch/cycles/:itemType',
      scope: 'dispatch:admin',
      summary: 'Run a dispatch cycle now, instead of at the next tick',
      description: 'Cycles of an item type never overlap, and this one keeps the rate of every other.',
      params: typeParams,
      body: reasonBody,
      answers: { 202: { description: 'The Schedule was told', schema: triggeredAnswer } },
      problems: [
        problems.configNotFound,
        problems.dispatchPaused,
        problems.cycleRunning,
        problems.scheduleNotFound,
        problems.queueUnavailable,
        problems.temporalUnavailable,
      ],
      async handle({ params: { itemType }, body, caller, log }) {
        const wish = { itemType, reason: body.reason, by: caller.id };
        const outcome = await reached(triggerCycle(parts, wish));
        log.info({ ...wish, outcome: outcome.kind }, 'dispatch cycle asked for');
        switch (outcome.kind) {
          case 'triggered':
            return { status: 202, body: { itemType, scheduleId: outcome.scheduleId } };
          case 'unknown':
            throw unknownItemType(itemType);
          case 'paused':
            throw conflict(problems.dispatchPaused, 'Dispatch is paused');
          case 'running':
            throw conflict(problems.cycleRunning, 'A cycle is running');
          case 'no_schedule':
            throw conflict(problems.scheduleNotFound, 'No Schedule yet');
          case 'unreachable':
            throw temporalUnavailable();
        }
      },
    }),
  ];
}
