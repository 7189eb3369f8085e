import { readContext } from './read-context.js';
import { contextFor, contextJsonFor } from './testing/contexts.js';

const read = (contextJson: string) => readContext({ paymentId: 'p-1', contextJson, by: 'test' });

it('reads the context of its payment', () => {
  expect(read(contextJsonFor('p-1'))).toEqual({ kind: 'context', context: contextFor('p-1') });
});

it.each([
  ['something that is not JSON', 'DE89370400440532013000 {'],
  ['a version that is not known', JSON.stringify({ ...contextFor('p-1'), version: 2 })],
  ['the context of another payment', contextJsonFor('p-2')],
  ['an unknown field', JSON.stringify({ ...contextFor('p-1'), extra: 1 })],
])('calls %s unusable, with a reason that shows no account', (_case, contextJson) => {
  const reading = read(contextJson);
  expect(reading).toMatchObject({ kind: 'unusable', paymentId: 'p-1', reason: { code: 'INVALID_CONTEXT' } });
  expect(JSON.stringify(reading)).not.toContain('DE8937');
});
