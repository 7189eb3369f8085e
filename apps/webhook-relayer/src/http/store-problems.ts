import type { Route } from '@sluice/service-kit/http';
import { StoreUnavailableError } from '../store-unavailable.js';
import { problem, problems } from './problems.js';

/** A store that is away is the caller's cue to come back, not a fault of this service. */
export function answeringStore(one: Route): Route {
  return {
    ...one,
    problems: [...(one.problems ?? []), problems.storeUnavailable],
    async handle(input) {
      try {
        return await one.handle(input);
      } catch (error) {
        if (!(error instanceof StoreUnavailableError)) throw error;
        input.log.error({ err: error }, 'the database did not answer');
        throw problem(problems.storeUnavailable, 'The database cannot be reached', {
          headers: { 'retry-after': '5' },
        });
      }
    },
  };
}
