import type { RateConfigStore, SlotStore } from '@sluice/rate-window';
import { route } from '@sluice/service-kit/http';
import type { Route } from '@sluice/service-kit/http';
import { problems, translatingErrors, unknownConfig } from './problems.js';
import { checkedInstant } from './read-instant.js';
import { windowsAnswer, windowsQuery } from './schemas.js';

export interface WindowParts {
  readonly slots: Pick<SlotStore, 'listWindows'>;
  readonly configs: Pick<RateConfigStore, 'findActive'>;
  readonly defaultConfig: string;
}

export function windowRoutes({ slots, configs, defaultConfig }: WindowParts): readonly Route[] {
  const list = route({
    method: 'get',
    path: '/api/v1/windows',
    scope: 'slots:read',
    summary: 'How full the windows of a rate limit are',
    query: windowsQuery,
    answers: { 200: { description: 'A page of windows', schema: windowsAnswer } },
    problems: [problems.configNotFound, problems.storeUnavailable],
    handle: ({ query: { config: configName = defaultConfig, from, to, limit } }) =>
      translatingErrors(async () => {
        const config = await configs.findActive(configName);
        if (config === undefined) throw unknownConfig(configName);
        const { windows, next } = await slots.listWindows(config, {
          from: checkedInstant(from),
          until: checkedInstant(to),
          limit,
        });
        return { status: 200, body: { configName, windows, next } };
      }),
  });
  return [list];
}
