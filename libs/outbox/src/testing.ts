/// <reference types="jest" />
/**
 * What every outbox store has to keep. A store's integration test runs all of it:
 *
 *   describeOutbox('PostgreSQL', async () => ({ outbox: createPgOutbox(pool), transaction, close }));
 */
import { describeClaims } from './testing/claims.js';
import { describeDeadLetters } from './testing/dead-letters.js';
import { describeEnqueue } from './testing/enqueue.js';
import type { OutboxHarness } from './testing/harness.js';
import { describeLeases } from './testing/leases.js';
import { describeOrder } from './testing/order.js';
import { describeRuns } from './testing/runs.js';
import { describeSettling } from './testing/settling.js';
import { describeViews } from './testing/views.js';

export type { OutboxHarness, OutboxUnderTest } from './testing/harness.js';

/** Needs a migrated store; it may hold other data, since each test makes up rail types and participants of its own. */
export function describeOutbox(store: string, makeHarness: () => Promise<OutboxHarness>): void {
  describe(`outbox in ${store}`, () => {
    let harness: OutboxHarness | undefined;
    const current = (): OutboxHarness => {
      if (!harness) throw new Error('the harness is made before the first test');
      return harness;
    };
    beforeAll(async () => {
      harness = await makeHarness();
    });
    afterAll(() => harness?.close());

    describeEnqueue(current);
    describeClaims(current);
    describeRuns(current);
    describeSettling(current);
    describeDeadLetters(current);
    describeLeases(current);
    describeOrder(current);
    describeViews(current);
  });
}
