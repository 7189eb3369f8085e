import { z } from 'zod';
import type { ConfigRow, DispatchQueue } from '@sluice/queue-core';
import { route } from '@sluice/service-kit/http';
import type { Route } from '@sluice/service-kit/http';
import { problems, reached, unknownItemType } from './problems.js';
import {
  changesAnswer,
  configAnswer,
  configBody,
  configListAnswer,
  count,
  reasonBody,
  typeParams,
} from './schemas.js';

export type ConfigStore = Pick<
  DispatchQueue,
  'readConfig' | 'listConfigs' | 'writeConfig' | 'switchDispatch' | 'listChanges'
>;

/** How item types are dispatched, the kill switch, and who changed what. */
export function configRoutes(queue: ConfigStore): readonly Route[] {
  return [
    listConfigs(queue),
    readConfig(queue),
    writeConfig(queue),
    switchRoute(queue, false),
    switchRoute(queue, true),
    listChanges(queue),
  ];
}

function listConfigs(queue: Pick<DispatchQueue, 'listConfigs'>): Route {
  return route({
    method: 'get',
    path: '/api/v1/dispatch/config',
    scope: 'dispatch:read',
    summary: 'List how all item types are dispatched',
    answers: { 200: { description: 'One entry an item type, by name', schema: configListAnswer } },
    problems: [problems.queueUnavailable],
    async handle() {
      const rows = await reached(queue.listConfigs());
      return { status: 200, body: { configs: rows.map(toBody) } };
    },
  });
}

function readConfig(queue: Pick<DispatchQueue, 'readConfig'>): Route {
  return route({
    method: 'get',
    path: '/api/v1/dispatch/config/:itemType',
    scope: 'dispatch:read',
    summary: 'Read how an item type is dispatched',
    params: typeParams,
    answers: { 200: { description: 'As it stands', schema: configAnswer } },
    problems: [problems.configNotFound, problems.queueUnavailable],
    handle: async ({ params }) => ({ status: 200, body: await configOf(queue, params.itemType) }),
  });
}

function writeConfig(queue: Pick<DispatchQueue, 'readConfig' | 'writeConfig'>): Route {
  return route({
    method: 'put',
    path: '/api/v1/dispatch/config/:itemType',
    scope: 'dispatch:admin',
    summary: 'Set how an item type is dispatched; takes effect within one cycle',
    params: typeParams,
    body: configBody,
    answers: {
      200: { description: 'Changed, or as it was', schema: configAnswer },
      201: { description: 'The item type is new', schema: configAnswer },
    },
    problems: [problems.queueUnavailable],
    async handle({ params, body, caller, log }) {
      const { itemType } = params;
      const { reason, ...config } = body;
      const { kind } = await reached(queue.writeConfig({ itemType, config, by: caller.id, reason }));
      log.info({ itemType, by: caller.id, enabled: config.enabled, reason }, `dispatch config ${kind}`);
      return { status: kind === 'created' ? 201 : 200, body: await configOf(queue, itemType) };
    },
  });
}

function switchRoute(queue: Pick<DispatchQueue, 'readConfig' | 'switchDispatch'>, enabled: boolean): Route {
  return route({
    method: 'post',
    path: `/api/v1/dispatch/config/:itemType/${enabled ? 'resume' : 'pause'}`,
    scope: 'dispatch:admin',
    summary: enabled
      ? 'Kill switch off: items leave again'
      : 'Kill switch on: nothing starts after the sub-batch in hand, and nothing is lost',
    params: typeParams,
    body: reasonBody,
    answers: { 200: { description: 'As asked for, also if it was so before', schema: configAnswer } },
    problems: [problems.configNotFound, problems.queueUnavailable],
    async handle({ params, body, caller, log }) {
      const { itemType } = params;
      const change = { itemType, enabled, reason: body.reason, by: caller.id };
      const { kind } = await reached(queue.switchDispatch(change));
      if (kind === 'unknown') throw unknownItemType(itemType);
      log.warn({ ...change, kind }, enabled ? 'dispatch resumed' : 'dispatch paused');
      return { status: 200, body: await configOf(queue, itemType) };
    },
  });
}

function listChanges(queue: Pick<DispatchQueue, 'listChanges'>): Route {
  return route({
    method: 'get',
    path: '/api/v1/dispatch/config/:itemType/changes',
    scope: 'dispatch:read',
    summary: 'List what people did to an item type and its items, newest first',
    params: typeParams,
    query: z.strictObject({
      limit: count(500, 100),
      cursor: z
        .string()
        .regex(/^\d{1,18}$/, 'the nextCursor of a page before')
        .optional(),
    }),
    answers: { 200: { description: 'Who, when, what and why', schema: changesAnswer } },
    problems: [problems.queueUnavailable],
    async handle({ params, query }) {
      const request = { itemType: params.itemType, after: query.cursor, limit: query.limit };
      const { changes, next } = await reached(queue.listChanges(request));
      return { status: 200, body: { changes, nextCursor: next } };
    },
  });
}

async function configOf(queue: Pick<DispatchQueue, 'readConfig'>, itemType: string) {
  const row = await reached(queue.readConfig(itemType));
  if (!row) throw unknownItemType(itemType);
  return toBody(row);
}

function toBody(row: ConfigRow) {
  return { itemType: row.itemType, ...row.config, updatedAt: row.updatedAt };
}
