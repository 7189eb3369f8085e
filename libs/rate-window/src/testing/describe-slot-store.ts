/// <reference types="jest" />
import { describeAssignment } from './assignment.js';
import { describeCalendars } from './calendars.js';
import type { SlotStoreHarness } from './harness.js';
import { describeHorizon } from './horizon.js';
import { describeIdempotency } from './idempotency.js';
import { describeReleases } from './releases.js';
import { describeVersions } from './versions.js';
import { describeViews } from './views.js';

/** What every slot store has to do, whatever holds its data. */
export function describeSlotStore(makeHarness: () => Promise<SlotStoreHarness>): void {
  let harness: SlotStoreHarness | undefined;
  const current = (): SlotStoreHarness => {
    if (harness === undefined) throw new Error('the harness is made before the first test');
    return harness;
  };
  beforeAll(async () => {
    harness = await makeHarness();
  });
  afterAll(() => harness?.close());

  describeAssignment(current);
  describeIdempotency(current);
  describeHorizon(current);
  describeVersions(current);
  describeReleases(current);
  describeCalendars(current);
  describeViews(current);
}
