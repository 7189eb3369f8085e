import { corner, executed, later } from './harness.js';
import type { CurrentHarness } from './harness.js';

export function describeClaims(current: CurrentHarness): void {
  describe('claim', () => {
    it('takes the head of each participant and nothing behind it', async () => {
      const { enqueue, entry, claim } = corner(current);
      await enqueue(entry('p', 'a'), entry('p', 'b'), entry('q', 'c'));
      const claims = await claim();
      expect(claims.map((one) => [one.payload, one.sequenceId, one.attemptNo, one.outcomeUnknown])).toEqual(
        expect.arrayContaining([
          [{ name: 'a' }, 1, 1, false],
          [{ name: 'c' }, 1, 1, false],
        ]),
      );
      expect(claims).toHaveLength(2);
      expect(await claim()).toEqual([]);
    });

    it('takes no more than the limit', async () => {
      const { enqueue, entry, claim } = corner(current);
      await enqueue(...Array.from({ length: 7 }, (_, n) => entry(`p${n}`, `a${n}`)));
      expect(await claim({ limit: 3 })).toHaveLength(3);
      expect(await claim({ limit: 3 })).toHaveLength(3);
      expect(await claim({ limit: 3 })).toHaveLength(1);
    });

    it('leaves other rail types alone, and a participant whose head is of another rail type', async () => {
      const { enqueue, entry, claim, claimOne, settle, railType } = corner(current);
      const other = `${railType}-OTHER`;
      await enqueue(entry('p', 'a', { railType: other }), entry('p', 'b'), entry('q', 'c'));
      const mine = await claimOne();
      expect(mine.payload).toEqual({ name: 'c' });

      await settle(await claimOne({ railTypes: [other] }), executed);
      expect((await claim({ railTypes: [other, railType, other] })).map((one) => one.payload)).toEqual([
        { name: 'b' },
      ]);
    });

    it('holds back everything behind a head that is not due', async () => {
      const { enqueue, entry, claim, claimOne, settle } = corner(current);
      await enqueue(entry('p', 'a'), entry('p', 'b'));
      await settle(await claimOne(), later(60_000));
      expect(await claim()).toEqual([]);
      await enqueue(entry('p', 'c'));
      expect(await claim()).toEqual([]);
    });

    it('records the claim before anything is sent', async () => {
      const { enqueue, entry, claimOne, states } = corner(current);
      await enqueue(entry('p', 'a'));
      const claim = await claimOne();
      expect(await states(claim.instructionId)).toEqual(['DISPATCHING']);
    });

    it('never lets two relays at the same participant', async () => {
      const { enqueue, entry, claim } = corner(current);
      await enqueue(...Array.from({ length: 40 }, (_, n) => entry(`p${n % 20}`, `a${n}`)));
      const rounds = await Promise.all(Array.from({ length: 6 }, () => claim({ limit: 10 })));
      const participants = rounds.flat().map((one) => one.participantId);
      expect(new Set(participants).size).toBe(participants.length);
      expect(rounds.flat().every((one) => one.sequenceId === 1)).toBe(true);
    });
  });
}
