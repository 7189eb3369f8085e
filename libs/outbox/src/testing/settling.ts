import { randomUUID } from 'node:crypto';
import { corner, doubtful, executed, later, refused } from './harness.js';
import type { CurrentHarness } from './harness.js';

export function describeSettling(current: CurrentHarness): void {
  describe('settle', () => {
    it('lets the next instruction go when one was executed', async () => {
      const { enqueue, entry, claimOne, settle, states } = corner(current);
      await enqueue(entry('p', 'a'), entry('p', 'b'));
      const first = await claimOne();
      expect(await settle(first, executed)).toMatchObject({ kind: 'recorded' });
      expect(await claimOne()).toMatchObject({ sequenceId: 2, payload: { name: 'b' } });
      expect(await states(first.instructionId)).toEqual(['DISPATCHING', 'DISPATCHED']);
    });

    it('serves participants in turn', async () => {
      const { enqueue, entry, claimOne, settle, participant } = corner(current);
      await enqueue(entry('p', 'a'), entry('p', 'b'));
      await enqueue(entry('q', 'c'));
      await settle(await claimOne({ limit: 1 }), executed);
      expect(await claimOne({ limit: 1 })).toMatchObject({ participantId: participant('q') });
      expect(await claimOne({ limit: 1 })).toMatchObject({ participantId: participant('p'), sequenceId: 2 });
    });

    it('keeps the place and counts the attempts of a retry', async () => {
      const { enqueue, entry, claimOne, settle, states } = corner(current);
      await enqueue(entry('p', 'a'), entry('p', 'b'));
      const first = await claimOne();
      await settle(first, later(0));
      const second = await claimOne();
      expect(second).toMatchObject({
        outboxId: first.outboxId,
        sequenceId: 1,
        attemptNo: 2,
        outcomeUnknown: false,
      });
      expect(second.token).not.toBe(first.token);
      await settle(second, later(0, true));
      expect(await claimOne()).toMatchObject({ sequenceId: 1, attemptNo: 3, outcomeUnknown: true });
      expect(await states(first.instructionId)).toEqual([
        'DISPATCHING',
        'RETRYABLE',
        'DISPATCHING',
        'RETRYABLE',
        'DISPATCHING',
      ]);
    });

    it('makes a dead letter of a failure and lets the participant go on', async () => {
      const { enqueue, entry, claimOne, settle, railType } = corner(current);
      await enqueue(entry('p', 'a'), entry('p', 'b'));
      const first = await claimOne();
      await settle(first, refused);
      expect(await claimOne()).toMatchObject({ sequenceId: 2 });
      expect(await current().outbox.findInstruction(first.instructionId)).toMatchObject({ state: 'FAILED' });
      expect(await current().outbox.depth([railType])).toMatchObject({
        dead: 1,
        inDoubt: 0,
        heldParticipants: 0,
      });
    });

    it('holds the participant of an instruction in doubt', async () => {
      const { enqueue, entry, claim, claimOne, settle, railType } = corner(current);
      await enqueue(entry('p', 'a'), entry('p', 'b'));
      const first = await claimOne();
      await settle(first, doubtful);
      await enqueue(entry('p', 'c'));
      expect(await claim()).toEqual([]);
      expect(await current().outbox.findInstruction(first.instructionId)).toMatchObject({
        state: 'IN_DOUBT',
      });
      expect(await current().outbox.depth([railType])).toMatchObject({
        dead: 0,
        inDoubt: 1,
        heldParticipants: 1,
      });
    });

    it('refuses an outcome without the token', async () => {
      const { enqueue, entry, claim, claimOne, settle, states } = corner(current);
      await enqueue(entry('p', 'a'), entry('p', 'b'));
      const mine = await claimOne();
      expect(await settle({ ...mine, token: randomUUID() }, executed)).toMatchObject({ kind: 'late' });
      expect(await states(mine.instructionId)).toEqual(['DISPATCHING']);
      expect(await current().outbox.findInstruction(mine.instructionId)).toMatchObject({
        state: 'IN_FLIGHT',
      });
      expect(await claim()).toEqual([]);
      expect(await settle(mine, executed)).toMatchObject({ kind: 'recorded' });
      expect(await states(mine.instructionId)).toEqual(['DISPATCHING', 'DISPATCHED']);
    });

    it('recognises an outcome that it has already', async () => {
      const { enqueue, entry, claimOne, settle, states } = corner(current);
      await enqueue(entry('p', 'a'), entry('p', 'b'));
      const mine = await claimOne();
      await settle(mine, executed);
      const next = await claimOne();
      expect(await settle(mine, executed)).toMatchObject({ kind: 'recorded' });
      expect(await states(mine.instructionId)).toEqual(['DISPATCHING', 'DISPATCHED']);
      expect(await settle(next, executed)).toMatchObject({ kind: 'recorded' });
    });

    it('writes the outcomes of many participants at once', async () => {
      const { enqueue, entry, claim } = corner(current);
      await enqueue(...Array.from({ length: 20 }, (_, n) => entry(`p${n % 10}`, `a${n}`)));
      const outcomes = [executed, refused, later(0), later(60_000), doubtful];
      const settlements = (await claim()).map((one, n) => ({
        ...one,
        outcome: outcomes[n % outcomes.length] ?? executed,
        latencyMs: 1,
      }));
      const settled = await current().outbox.settle(settlements);
      expect(settled.map((one) => one.kind)).toEqual(Array(10).fill('recorded'));
      const next = await claim();
      expect(next.map((one) => [one.sequenceId, one.attemptNo]).sort()).toEqual([
        [1, 2],
        [1, 2],
        [2, 1],
        [2, 1],
        [2, 1],
        [2, 1],
      ]);
    });

    it('opens an emptied participant again', async () => {
      const { enqueue, entry, claimOne, settle } = corner(current);
      await enqueue(entry('p', 'a'));
      await settle(await claimOne(), executed);
      await enqueue(entry('p', 'b'));
      expect(await claimOne()).toMatchObject({ sequenceId: 2 });
    });
  });
}
