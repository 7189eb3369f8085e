import { formatDuration } from '@sluice/rate-window';
import type { RateConfig, RateConfigStore } from '@sluice/rate-window';
import { route } from '@sluice/service-kit/http';
import type { Route } from '@sluice/service-kit/http';
import type { ChangeConfig } from '../change-config.js';
import type { Flushed } from '../flush-configs.js';
import { neverOpen, problems, translatingErrors, unknownConfig, windowSizeInUse } from './problems.js';
import { configAnswer, configBody, configQuery, configsAnswer, flushAnswer } from './schemas.js';

export interface ConfigParts {
  readonly changeConfig: ChangeConfig;
  readonly flushConfigs: () => Promise<Flushed>;
  readonly configs: Pick<RateConfigStore, 'findActive' | 'listActive'>;
}

export function configRoutes(parts: ConfigParts): readonly Route[] {
  return [readConfigs(parts), changeConfigRoute(parts), flushCache(parts)];
}

function readConfigs({ configs }: ConfigParts): Route {
  return route({
    method: 'get',
    path: '/admin/rate-limit/config',
    scope: 'rate-limit:read',
    summary: 'The active version of one rate limit, or of all',
    query: configQuery,
    answers: { 200: { description: 'One with a name, all without', schema: configsAnswer } },
    problems: [problems.configNotFound, problems.storeUnavailable],
    handle: ({ query: { name } }) =>
      translatingErrors(async () => {
        if (name === undefined) {
          return { status: 200, body: { configs: (await configs.listActive()).map(configView) } };
        }
        const config = await configs.findActive(name);
        if (config === undefined) throw unknownConfig(name);
        return { status: 200, body: configView(config) };
      }),
  });
}

function changeConfigRoute({ changeConfig }: ConfigParts): Route {
  return route({
    method: 'post',
    path: '/admin/rate-limit/config',
    scope: 'rate-limit:admin',
    summary: 'Make a new version of a rate limit the active one, on all nodes',
    description:
      'Slots that were given stay as they are. A raised capacity reopens full windows, a lowered one closes some.',
    body: configBody,
    answers: { 200: { description: 'The active version, new or as it was', schema: configAnswer } },
    problems: [
      problems.windowSizeInUse,
      problems.neverOpen,
      problems.storeRefused,
      problems.storeUnavailable,
    ],
    handle: ({ body, caller, log }) =>
      translatingErrors(async () => {
        const { windowSize: windowSizeMs, maxDelay: maxDelayMs, ...rest } = body;
        const outcome = await changeConfig({ ...rest, windowSizeMs, maxDelayMs }, caller.id);
        const { configName } = body;
        if (outcome.kind === 'window-size-in-use') throw windowSizeInUse(configName, outcome.lastWindowEnd);
        if (outcome.kind === 'never-open') throw neverOpen(configName, outcome.horizon);
        if (outcome.kind === 'activated') {
          log.info(
            { config: outcome.config, changedBy: caller.id },
            'a new version of a rate limit is active',
          );
        }
        return { status: 200, body: configView(outcome.config) };
      }),
  });
}

function flushCache({ flushConfigs }: ConfigParts): Route {
  return route({
    method: 'post',
    path: '/admin/rate-limit/cache/flush',
    scope: 'rate-limit:admin',
    summary: 'Make all nodes read their rate limits anew',
    answers: { 200: { description: 'This node has forgotten what it had', schema: flushAnswer } },
    problems: [problems.storeUnavailable],
    handle: ({ caller, log }) =>
      translatingErrors(async () => {
        const flushed = await flushConfigs();
        log.info({ ...flushed, flushedBy: caller.id }, 'remembered rate limits were flushed');
        return { status: 200, body: flushed };
      }),
  });
}

function configView({ windowSizeMs, maxDelayMs, ...config }: RateConfig): object {
  const { configName, version, maxPerWindow, spread, calendar } = config;
  return {
    configName,
    version,
    maxPerWindow,
    windowSize: formatDuration(windowSizeMs),
    maxDelay: formatDuration(maxDelayMs),
    spread,
    calendar,
  };
}
