import { formatDuration } from '@sluice/rate-window';
import type { RateConfig, RateConfigStore } from '@sluice/rate-window';
import { route } from '@sluice/service-kit/http';
import type { Route } from '@sluice/service-kit/http';
import type { ChangeConfig } from '../change-config.js';
import { translatingErrors, unknownConfig, windowSizeInUse } from './problems.js';
import { configBody, configQuery } from './schemas.js';

interface Options {
  readonly changeConfig: ChangeConfig;
  readonly configs: Pick<RateConfigStore, 'findActive' | 'listActive'>;
}

export function createConfigRoutes({ changeConfig, configs }: Options): Route[] {
  const read = route({
    method: 'get',
    path: '/admin/rate-limit/config',
    scope: 'rate-limit:read',
    summary: 'The active version of one rate limit, or of all',
    query: configQuery,
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

  const change = route({
    method: 'post',
    path: '/admin/rate-limit/config',
    scope: 'rate-limit:admin',
    summary: 'Make a new version of a rate limit the active one',
    body: configBody,
    handle: ({ body, caller, log }) =>
      translatingErrors(async () => {
        const { configName, maxPerWindow, windowSize: windowSizeMs, maxDelay: maxDelayMs } = body;
        const outcome = await changeConfig({ configName, maxPerWindow, windowSizeMs, maxDelayMs }, caller.id);
        if (outcome.kind === 'window-size-in-use') throw windowSizeInUse(configName, outcome.lastWindowEnd);
        if (outcome.kind === 'activated') {
          log.info(
            { config: outcome.config, changedBy: caller.id },
            'a new version of a rate limit is active',
          );
        }
        return { status: 200, body: configView(outcome.config) };
      }),
  });

  return [read, change];
}

function configView({ configName, version, maxPerWindow, windowSizeMs, maxDelayMs }: RateConfig): object {
  return {
    configName,
    version,
    maxPerWindow,
    windowSize: formatDuration(windowSizeMs),
    maxDelay: formatDuration(maxDelayMs),
  };
}
