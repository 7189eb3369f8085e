import { newItem } from './testing/harness.js';
import { requireItems, requireTexts, storableText } from './storable-text.js';

describe('storableText', () => {
  it('keeps a text as it is', () => {
    expect(storableText('no such namespace: é 漢')).toBe('no such namespace: é 漢');
  });

  it('says something for nothing', () => {
    expect(storableText('')).toBe('no reason was given');
    expect(storableText('\0')).toBe('no reason was given');
  });

  it('takes out what a store refuses, and the half of a pair that was cut', () => {
    expect(storableText('a\0b')).toBe('ab');
    const cut = storableText(`${'x'.repeat(999)}😀`);
    expect(cut).toHaveLength(1_000);
    expect(cut.isWellFormed()).toBe(true);
  });
});

describe('requireTexts', () => {
  it.each([
    ['', 'token is empty'],
    ['a\0', 'token contains a NUL character'],
  ])('refuses %j', (token, reason) => {
    expect(() => requireTexts('claim_batch', { token })).toThrow(reason);
    const refusal = { code: 'STORE_REFUSED', operation: 'claim_batch', retryable: false };
    expect(thrownBy(() => requireTexts('claim_batch', { token }))).toMatchObject(refusal);
  });

  it('looks at every text of every item', () => {
    const good = newItem('SAMPLE', 'a');
    expect(() => requireItems('enqueue_items', [good])).not.toThrow();
    for (const field of ['itemType', 'itemId', 'contextJson', 'initWorkflowId']) {
      expect(() => requireItems('enqueue_items', [good, { ...good, [field]: '' }])).toThrow(
        `${field} is empty`,
      );
    }
  });
});

function thrownBy(work: () => void): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}
