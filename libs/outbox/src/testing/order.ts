import type { Claim } from '../ports.js';
import { corner, executed, later } from './harness.js';
import type { Corner, CurrentHarness } from './harness.js';

const participants = 25;
const perParticipant = 12;

/** One relay's loop without a destination: sends are entries in a list that all relays share. */
async function work(here: Corner, sent: Claim[], isDone: () => boolean): Promise<void> {
  let round = 0;
  while (!isDone()) {
    for (const claim of await here.claim({ limit: 4 })) {
      round += 1;
      if (round % 5 === 0) {
        await here.settle(claim, later(0));
      } else {
        sent.push(claim);
        await here.settle(claim, executed);
      }
    }
  }
}

export function describeOrder(current: CurrentHarness): void {
  describe('order', () => {
    it('keeps every participant in sequence, without gaps or repetitions, with three relays and a live producer', async () => {
      const here = corner(current);
      const sent: Claim[] = [];
      const total = participants * perParticipant;
      const produce = async (): Promise<void> => {
        for (let n = 0; n < perParticipant; n += 1) {
          const entries = Array.from({ length: participants }, (_, p) => here.entry(`p${p}`, `${p}-${n}`));
          await here.enqueue(...entries);
        }
      };
      const isDone = (): boolean => sent.length >= total;
      await Promise.all([produce(), ...[1, 2, 3].map(() => work(here, sent, isDone))]);

      const byParticipant = Map.groupBy(sent, (claim) => claim.participantId);
      expect(byParticipant.size).toBe(participants);
      const expected = Array.from({ length: perParticipant }, (_, n) => n + 1);
      for (const claims of byParticipant.values()) {
        expect(claims.map((claim) => claim.sequenceId)).toEqual(expected);
      }
      expect(await here.claim()).toEqual([]);
    }, 60_000);
  });
}
