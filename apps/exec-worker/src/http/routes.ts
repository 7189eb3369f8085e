import { z } from 'zod';
import type { OutboxViews } from '@sluice/outbox';
import { ProblemError, route } from '@sluice/service-kit/http';
import type { Route } from '@sluice/service-kit/http';

const params = z.strictObject({ instructionId: z.string().min(1).max(200) });

export function createRoutes(views: Pick<OutboxViews, 'findInstruction'>): readonly Route[] {
  return [
    route({
      method: 'get',
      path: '/api/v1/instructions/:instructionId',
      scope: 'outbox:read',
      summary: 'One instruction: where it is, and everything that was tried. The payload is not shown.',
      params,
      async handle({ params: { instructionId } }) {
        const found = await views.findInstruction(instructionId);
        if (found) return { status: 200, body: found };
        throw new ProblemError({
          status: 404,
          code: 'INSTRUCTION_NOT_FOUND',
          title: 'No such instruction',
          detail: `The outbox has never had an instruction ${instructionId}.`,
        });
      },
    }),
  ];
}
