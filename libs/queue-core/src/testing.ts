/// <reference types="jest" />
/**
 * What every store of the dispatch queue has to keep. A store's integration test runs all of it:
 *
 *   describeDispatchQueue('PostgreSQL', async () => ({
 *     queue: createPgQueue(pool), passTime, dropContext, claimAndHold, inTimeZone, close,
 *   }));
 */
import { describeClaims } from './testing/claims.js';
import { describeConcurrency } from './testing/concurrency.js';
import { describeConfigs } from './testing/configs.js';
import { describeEnqueue } from './testing/enqueue.js';
import { describeGuards } from './testing/guards.js';
import type { QueueHarness } from './testing/harness.js';
import { describeOperations } from './testing/operations.js';
import { describeRetention } from './testing/retention.js';
import { describeSettling } from './testing/settling.js';
import { describeTraps } from './testing/traps.js';

export type { HeldClaim, QueueHarness } from './testing/harness.js';

/** Needs a migrated store; it may hold other data, since each test makes up an item type of its own. */
export function describeDispatchQueue(store: string, makeHarness: () => Promise<QueueHarness>): void {
  describe(`dispatch queue in ${store}`, () => {
    let harness: QueueHarness | undefined;
    const current = () => {
      if (!harness) throw new Error('the harness is made before the first test');
      return harness;
    };
    beforeAll(async () => {
      harness = await makeHarness();
    });
    afterAll(async () => {
      await harness?.close();
    });
    describeEnqueue(current);
    describeClaims(current);
    describeSettling(current);
    describeConfigs(current);
    describeConcurrency(current);
    describeGuards(current);
    describeOperations(current);
    describeTraps(current);
    describeRetention(current);
  });
}
