import fc from 'fast-check';
import { fingerprint } from './fingerprint.js';
import { prepareBatch } from './prepare-batch.js';
import type { OutboxEntry } from './ports.js';

const entry = (change: Partial<OutboxEntry> = {}): OutboxEntry => ({
  instructionId: 'i',
  participantId: 'p',
  idempotencyKey: 'k',
  railType: 'R',
  payload: { a: 1 },
  ...change,
});

function newIds(): () => string {
  let n = 0;
  return () => `id-${(n += 1)}`;
}

it('folds equal entries and remembers the place of each', () => {
  const other = entry({ instructionId: 'j', idempotencyKey: 'l' });
  const { distinct, places } = prepareBatch([entry(), other, entry()], newIds());
  expect(distinct.map(({ entry: { instructionId }, outboxId }) => [instructionId, outboxId])).toEqual([
    ['i', 'id-1'],
    ['j', 'id-2'],
  ]);
  expect(places).toEqual([
    { instructionId: 'i', index: 0, repeats: false, conflicts: false },
    { instructionId: 'j', index: 1, repeats: false, conflicts: false },
    { instructionId: 'i', index: 0, repeats: true, conflicts: false },
  ]);
});

it.each([
  ['another payload', entry({ payload: { a: 2 } })],
  ['another participant', entry({ participantId: 'q' })],
  ['another key', entry({ idempotencyKey: 'l' })],
  ['another rail type', entry({ railType: 'S' })],
  ['another instruction under the same key', entry({ instructionId: 'j' })],
])('tells a conflict: %s beside the first', (_case, second) => {
  const { distinct, places } = prepareBatch([entry(), second], newIds());
  expect(distinct).toHaveLength(1);
  expect(places[1]).toEqual({
    instructionId: second.instructionId,
    index: 0,
    repeats: false,
    conflicts: true,
  });
});

it('takes the same key of two participants for two things', () => {
  const { distinct } = prepareBatch([entry(), entry({ instructionId: 'j', participantId: 'q' })], newIds());
  expect(distinct).toHaveLength(2);
});

it('gives the same fingerprint before and after a journey through JSON, in any order of keys', () => {
  const reversed = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(reversed);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value)
        .reverse()
        .map(([key, part]) => [key, reversed(part)]),
    );
  };
  fc.assert(
    fc.property(fc.jsonValue({ noUnicodeString: false }), (payload) => {
      const copy: unknown = reversed(JSON.parse(JSON.stringify(payload)));
      expect(fingerprint(entry({ payload: copy }))).toBe(fingerprint(entry({ payload })));
    }),
  );
});
