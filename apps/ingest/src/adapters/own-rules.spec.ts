import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { applyRules, createRules, enrichRequest, PaymentRequest } from '@sluice/payments';
import { loadOwnRules } from './own-rules.js';

const folder = mkdtempSync(join(tmpdir(), 'own-rules-'));
afterAll(() => rmSync(folder, { recursive: true }));

function write(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

describe("a company's own rules", () => {
  test('come from the file that the environment names, as docs/producing.md shows it', () => {
    const docs = readFileSync(join(__dirname, '..', '..', '..', '..', 'docs', 'producing.md'), 'utf8');
    const example = [...docs.matchAll(/```js\n([\s\S]*?)```/g)].map(([, text = '']) => text).at(-1) ?? '';
    const rules = createRules({ ownRules: loadOwnRules(write('example.cjs', example)) });
    const request = PaymentRequest.parse({
      paymentId: 'p-1',
      participantId: 'acme',
      rail: 'ACH',
      amount: { minorUnits: 500_000, currency: 'USD' },
      destination: { routingNumber: '021000021', accountNumber: '1' },
    });
    const on = (day: string) => applyRules(enrichRequest(request, new Date(day)), rules)?.code;
    expect(on('2030-01-19T12:00:00Z')).toBe('ROUND_THOUSAND_ON_WEEKEND');
    expect(on('2030-01-21T12:00:00Z')).toBeUndefined();
  });

  test('are none without a file', () => {
    expect(loadOwnRules(undefined)).toEqual([]);
  });

  test.each([
    ['exports nothing', ''],
    ['exports something else', 'module.exports = { rules: "all" };'],
    ['has an entry that is no function', 'module.exports = { rules: [() => undefined, 7] };'],
  ])('stop the start if the file %s', (what, text) => {
    expect(() => loadOwnRules(write(`${what.length}.cjs`, text))).toThrow('does not export "rules"');
  });

  test('stop the start if there is no such file', () => {
    expect(() => loadOwnRules(join(folder, 'missing.cjs'))).toThrow('missing.cjs');
  });
});
