import type { SettledClaim } from './delivery-ports.js';
import { createOutcomeWriter } from './write-outcomes.js';

const outcome = (id: string) => ({ claim: { id }, settlement: {} }) as unknown as SettledClaim;
const idsOf = (settled: readonly SettledClaim[]) => settled.map(({ claim }) => claim.id);

describe('createOutcomeWriter', () => {
  it('writes at once what comes alone, and together what comes meanwhile', async () => {
    const batches: string[][] = [];
    const write = createOutcomeWriter({
      random: () => 0,
      queue: {
        async settle(settled) {
          batches.push(idsOf(settled));
          return settled.map(({ claim }) => (claim.id === 'c' ? 'late' : 'recorded'));
        },
      },
    });
    expect(await Promise.all([write(outcome('a')), write(outcome('b')), write(outcome('c'))])).toEqual([
      'recorded',
      'recorded',
      'late',
    ]);
    expect(batches).toEqual([['a'], ['b', 'c']]);
  });

  it('repeats a write that failed, and lets an outcome that cannot be written spoil no other', async () => {
    let refusals = 2;
    const write = createOutcomeWriter({
      random: () => 0,
      initialMs: 1,
      queue: {
        async settle(settled) {
          if (settled.some(({ claim }) => claim.id === 'poison')) throw new Error('refused');
          if (refusals-- > 0) throw new Error('away');
          return settled.map(() => 'recorded');
        },
      },
    });
    const written = await Promise.allSettled(['a', 'b', 'poison', 'c'].map((id) => write(outcome(id))));
    expect(written.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
  });
});
