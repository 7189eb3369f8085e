import { corner, executed, later } from './harness.js';
import type { CurrentHarness } from './harness.js';

export function describeViews(current: CurrentHarness): void {
  describe('views', () => {
    it('knows nothing of an instruction that was never enqueued', async () => {
      expect(await current().outbox.findInstruction('ins-nobody')).toBeUndefined();
    });

    it('follows an instruction through its states', async () => {
      const { enqueue, entry, claimOne, settle } = corner(current);
      const { instructionId, participantId, idempotencyKey, railType } = entry('p', 'a');
      const find = () => current().outbox.findInstruction(instructionId);
      await enqueue(entry('p', 'a'));
      expect(await find()).toMatchObject({
        participantId,
        idempotencyKey,
        railType,
        state: 'PENDING',
        attempts: [],
      });
      const first = await claimOne();
      expect(await find()).toMatchObject({
        state: 'IN_FLIGHT',
        attempts: [{ attemptNo: 1, state: 'DISPATCHING' }],
      });
      await settle(first, later(0));
      expect(await find()).toMatchObject({
        state: 'PENDING',
        nextAttemptAt: expect.any(Date) as Date,
        attempts: [
          {},
          { attemptNo: 1, state: 'RETRYABLE', errorCode: 'DOWN', errorMessage: 'not now', latencyMs: 5 },
        ],
      });
      await settle(await claimOne(), executed);
      const found = await find();
      expect(found).toMatchObject({ state: 'DISPATCHED' });
      expect(found?.attempts.at(-1)).toMatchObject({ attemptNo: 2, state: 'DISPATCHED', reference: 'R-1' });
    });

    it('measures what waits, what is in flight and what is stuck', async () => {
      const { enqueue, entry, claim, railType } = corner(current);
      await enqueue(entry('p', 'a'), entry('p', 'b'), entry('q', 'c'), entry('r', 'd'));
      await claim({ limit: 1 });
      await claim({ limit: 1, leaseSeconds: 0 });
      const depth = await current().outbox.depth([railType]);
      expect(depth).toMatchObject({
        pending: 2,
        inFlight: 2,
        stuck: 1,
        dead: 0,
        inDoubt: 0,
        heldParticipants: 0,
      });
      expect(depth.oldestPendingAgeSeconds).toBeGreaterThan(0);
      expect(await current().outbox.depth([`${railType}-NONE`])).toMatchObject({
        pending: 0,
        oldestPendingAgeSeconds: 0,
        inFlight: 0,
      });
    });
  });
}
