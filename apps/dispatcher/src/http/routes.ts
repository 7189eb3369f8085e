import { z } from 'zod';
import { dispatchConfigSchema, itemIdSchema, itemTypeSchema, QueueStoreError } from '@sluice/queue-core';
import type { ConfigRow, DispatchQueue } from '@sluice/queue-core';
import { ProblemError, route } from '@sluice/service-kit/http';
import type { Route } from '@sluice/service-kit/http';

const typeParams = z.strictObject({ itemType: itemTypeSchema });
const itemParams = z.strictObject({ itemType: itemTypeSchema, itemId: itemIdSchema });

/** The dispatch admin API. */
export function createRoutes(
  queue: Pick<DispatchQueue, 'readConfig' | 'writeConfig' | 'findItem'>,
): readonly Route[] {
  return [readConfig(queue), writeConfig(queue), showItem(queue)];
}

function readConfig(queue: Pick<DispatchQueue, 'readConfig'>): Route {
  return route({
    method: 'get',
    path: '/api/v1/dispatch/config/:itemType',
    scope: 'dispatch:read',
    summary: 'Read how an item type is dispatched',
    params: typeParams,
    async handle({ params }) {
      const row = await reached(queue.readConfig(params.itemType));
      if (!row) throw unknownItemType(params.itemType);
      return { status: 200, body: toBody(row) };
    },
  });
}

function writeConfig(queue: Pick<DispatchQueue, 'readConfig' | 'writeConfig'>): Route {
  return route({
    method: 'put',
    path: '/api/v1/dispatch/config/:itemType',
    scope: 'dispatch:admin',
    summary: 'Set how an item type is dispatched; takes effect within one cycle',
    params: typeParams,
    body: dispatchConfigSchema,
    async handle({ params, body, caller, log }) {
      const { itemType } = params;
      const { kind } = await reached(queue.writeConfig({ itemType, config: body, by: caller.id }));
      log.info(
        { itemType: params.itemType, by: caller.id, enabled: body.enabled },
        `dispatch config ${kind}`,
      );
      const row = await reached(queue.readConfig(params.itemType));
      if (!row) throw unknownItemType(params.itemType);
      return { status: kind === 'created' ? 201 : 200, body: toBody(row) };
    },
  });
}

function showItem(queue: Pick<DispatchQueue, 'findItem'>): Route {
  return route({
    method: 'get',
    path: '/api/v1/dispatch/items/:itemType/:itemId',
    scope: 'dispatch:read',
    summary: 'Show an item of the queue and its audit trail',
    params: itemParams,
    async handle({ params }) {
      const found = await reached(queue.findItem(params.itemType, params.itemId));
      if (!found) {
        throw new ProblemError({
          status: 404,
          code: 'ITEM_NOT_FOUND',
          title: 'No such item',
          detail: `The dispatch queue has no ${params.itemType} with the id ${params.itemId}.`,
        });
      }
      return { status: 200, body: { ...found.row, auditTrail: found.trail } };
    },
  });
}

/** A store that is away is the caller's cue to come back, not a fault of this service. */
async function reached<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof QueueStoreError) || !error.retryable) throw error;
    throw new ProblemError(
      {
        status: 503,
        code: 'QUEUE_UNAVAILABLE',
        title: 'The dispatch queue cannot be reached',
        detail: 'The database did not answer. Try again shortly.',
        headers: { 'retry-after': '5' },
      },
      { cause: error },
    );
  }
}

function toBody(row: ConfigRow) {
  return { itemType: row.itemType, ...row.config, updatedAt: row.updatedAt };
}

function unknownItemType(itemType: string): ProblemError {
  return new ProblemError({
    status: 404,
    code: 'DISPATCH_CONFIG_NOT_FOUND',
    title: 'No such item type',
    detail: `No dispatch configuration exists for ${itemType}. Create it with PUT.`,
  });
}
