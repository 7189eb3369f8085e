import { OutboxConflictError } from '../errors.js';
import { corner, executed } from './harness.js';
import type { CurrentHarness } from './harness.js';

export function describeEnqueue(current: CurrentHarness): void {
  describe('enqueue', () => {
    it('numbers the instructions of each participant from 1, in the order given', async () => {
      const { enqueue, entry } = corner(current);
      const outcomes = await enqueue(entry('p', 'a'), entry('q', 'b'), entry('p', 'c'), entry('p', 'd'));
      const more = await enqueue(entry('q', 'e'), entry('p', 'f'));
      expect([...outcomes, ...more]).toMatchObject(
        [1, 1, 2, 3, 2, 4].map((sequenceId) => ({ kind: 'enqueued', sequenceId })),
      );
    });

    it('calls a repetition a duplicate, and gives it no number', async () => {
      const { enqueue, entry } = corner(current);
      const [first] = await enqueue(entry('p', 'a'));
      const [again, next] = await enqueue(entry('p', 'a'), entry('p', 'b'));
      expect(again).toEqual({
        kind: 'duplicate',
        instructionId: first?.instructionId,
        outboxId: first?.outboxId,
      });
      expect(next).toMatchObject({ kind: 'enqueued', sequenceId: 2 });
    });

    it('knows a repetition after the instruction has left', async () => {
      const { enqueue, entry, claim, claimOne, settle } = corner(current);
      await enqueue(entry('p', 'a'));
      await settle(await claimOne(), executed);
      expect(await enqueue(entry('p', 'a'))).toMatchObject([{ kind: 'duplicate' }]);
      expect(await claim()).toEqual([]);
    });

    it('takes the keys of an object in any order for the same content', async () => {
      const { enqueue, entry } = corner(current);
      await enqueue(entry('p', 'a', { payload: { x: 1, y: { z: 2, w: 3 } } }));
      const again = await enqueue(entry('p', 'a', { payload: { y: { w: 3, z: 2 }, x: 1 } }));
      expect(again).toMatchObject([{ kind: 'duplicate' }]);
    });

    it('folds a repetition inside one batch', async () => {
      const { enqueue, entry } = corner(current);
      const outcomes = await enqueue(entry('p', 'a'), entry('p', 'a'), entry('p', 'b'));
      expect(outcomes).toMatchObject([
        { kind: 'enqueued', sequenceId: 1 },
        { kind: 'duplicate' },
        { kind: 'enqueued', sequenceId: 2 },
      ]);
    });

    it('refuses a known instruction with another payload and enqueues nothing of that batch', async () => {
      const { enqueue, entry, claim, claimOne, settle } = corner(current);
      await enqueue(entry('p', 'a'));
      const changed = enqueue(entry('p', 'b'), entry('p', 'a', { payload: 'other' }));
      await expect(changed).rejects.toThrow(OutboxConflictError);
      await expect(changed).rejects.toMatchObject({ instructionIds: [entry('p', 'a').instructionId] });

      await settle(await claimOne(), executed);
      expect(await claim()).toEqual([]);
      expect(await enqueue(entry('p', 'b'))).toMatchObject([{ kind: 'enqueued', sequenceId: 2 }]);
    });

    it('answers a conflict to a caller that asks for it, and enqueues the rest', async () => {
      const { enqueue, entry } = corner(current);
      const [, known] = await enqueue(entry('p', 'a'), entry('q', 'known'));
      const entries = [
        entry('p', 'a', { payload: 'other' }),
        entry('p', 'b'),
        entry('q', 'known'),
        entry('p', 'b', { payload: 'other' }),
        entry('p', 'c', { idempotencyKey: entry('p', 'a').idempotencyKey }),
      ];
      const outcomes = await current().transaction((db) => current().outbox.tryEnqueue(db, entries));
      expect(outcomes).toMatchObject([
        { kind: 'conflict', instructionId: entry('p', 'a').instructionId },
        { kind: 'enqueued', sequenceId: 2 },
        { kind: 'duplicate', outboxId: known?.outboxId },
        { kind: 'conflict', instructionId: entry('p', 'b').instructionId },
        { kind: 'conflict', instructionId: entry('p', 'c').instructionId },
      ]);
      expect(await enqueue(entry('p', 'd'))).toMatchObject([{ kind: 'enqueued', sequenceId: 3 }]);
    });

    it('refuses a known key for another instruction', async () => {
      const { enqueue, entry } = corner(current);
      const first = entry('p', 'a');
      await enqueue(first);
      const second = entry('p', 'b', { idempotencyKey: first.idempotencyKey });
      await expect(enqueue(second)).rejects.toThrow(OutboxConflictError);
      const inOneBatch = entry('q', 'c', { idempotencyKey: 'k' });
      await expect(enqueue(inOneBatch, entry('q', 'd', { idempotencyKey: 'k' }))).rejects.toThrow(
        OutboxConflictError,
      );
    });

    it('leaves no trace and no gap when the transaction is rolled back', async () => {
      const { enqueue, entry, claim } = corner(current);
      const rolledBack = current().transaction(async (db) => {
        await current().outbox.enqueue(db, [entry('p', 'a')]);
        throw new Error('changed my mind');
      });
      await expect(rolledBack).rejects.toThrow('changed my mind');
      expect(await claim()).toEqual([]);
      expect(await enqueue(entry('p', 'a'))).toMatchObject([{ kind: 'enqueued', sequenceId: 1 }]);
    });

    it('enqueues once when the same instruction arrives many times at once', async () => {
      const { enqueue, entry } = corner(current);
      const outcomes = await Promise.all(Array.from({ length: 8 }, () => enqueue(entry('p', 'a'))));
      expect(outcomes.flat().filter((outcome) => outcome.kind === 'enqueued')).toHaveLength(1);
      expect(await enqueue(entry('p', 'b'))).toMatchObject([{ sequenceId: 2 }]);
    });

    it('gives concurrent producers of one participant numbers without gaps', async () => {
      const { enqueue, entry } = corner(current);
      const batches = Array.from({ length: 8 }, (_, n) =>
        enqueue(entry('p', `a${n}`), entry('q', `b${n}`), entry('p', `c${n}`)),
      );
      const outcomes = (await Promise.all(batches)).flat();
      const numbers = outcomes.flatMap((outcome) =>
        outcome.kind === 'enqueued' ? [outcome.sequenceId] : [],
      );
      const expected = [...Array(16).keys(), ...Array(8).keys()].map((n) => n + 1);
      expect(numbers.sort((a, b) => a - b)).toEqual(expected.sort((a, b) => a - b));
    });
  });
}
