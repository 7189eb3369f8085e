import { createRules, ruleMatches, ruleSchema, stableHash } from './rules.js';

const ids = Array.from({ length: 10_000 }, (_, n) => `ins-p${n}`);

describe('ruleMatches', () => {
  it('matches every instruction when it names none', () => {
    expect(ruleMatches({ failure: 'before' }, 'ins-p1')).toBe(true);
  });

  it('matches by prefix', () => {
    const rule = { failure: 'before', instructionPrefix: 'ins-a' } as const;
    expect([ruleMatches(rule, 'ins-a1'), ruleMatches(rule, 'ins-b1')]).toEqual([true, false]);
  });

  it.each([2, 7, 100])('matches about every %i-th instruction, and each with exactly one offset', (every) => {
    const counts = Array.from(
      { length: every },
      (_, offset) => ids.filter((id) => ruleMatches({ failure: 'after', every, offset }, id)).length,
    );
    expect(counts.reduce((sum, count) => sum + count)).toBe(ids.length);
    const expected = ids.length / every;
    expect(Math.min(...counts)).toBeGreaterThan(expected * 0.6);
    expect(Math.max(...counts)).toBeLessThan(expected * 1.4);
  });

  it('needs both the prefix and the hash', () => {
    const rule = { failure: 'after', every: 2, instructionPrefix: 'ins-p1' } as const;
    const matched = ids.filter((id) => ruleMatches(rule, id));
    expect(matched).toEqual(ids.filter((id) => id.startsWith('ins-p1') && stableHash(id) % 2 === 0));
  });
});

describe('stableHash', () => {
  it('never changes, since recorded runs depend on it', () => {
    expect([stableHash(''), stableHash('ins-p1')]).toEqual([3820012610, 3598698778]);
  });
});

describe('createRules', () => {
  it('fires a rule the given number of times for each instruction', () => {
    const rules = createRules();
    rules.replace('', [{ failure: 'before', times: 1 }]);
    const fires = (id: string) => rules.take((rule) => ruleMatches(rule, id), id) !== undefined;
    expect([fires('a'), fires('a'), fires('b'), fires('b')]).toEqual([true, false, true, false]);
  });
});

describe('ruleSchema', () => {
  it.each([
    [{ failure: 'before' }],
    [{ failure: 'after', instructionPrefix: 'ins-', every: 10, offset: 9, times: 1 }],
    [{ failure: 'slow', delayMs: 50 }],
    [{ failure: 'silent', executes: true }],
    [{ failure: 'reject', code: 'ACCOUNT_CLOSED' }],
  ])('takes %j', (rule) => {
    expect(ruleSchema.parse(rule)).toEqual(rule);
  });

  it.each([
    [{}, 'failure'],
    [{ failure: 'explode' }, 'failure'],
    [{ failure: 'before', every: 0 }, 'every'],
    [{ failure: 'before', offset: 1 }, 'offset'],
    [{ failure: 'before', every: 3, offset: 3 }, 'offset'],
    [{ failure: 'after', executes: true }, 'executes'],
    [{ failure: 'before', code: 'X' }, 'code'],
    [{ failure: 'slow' }, 'delayMs'],
    [{ failure: 'before', times: 0 }, 'times'],
  ])('refuses %j because of %s', (rule, field) => {
    expect(ruleSchema.safeParse(rule).error?.issues[0]?.path).toEqual([field]);
  });

  it('refuses an unknown field', () => {
    expect(ruleSchema.safeParse({ failure: 'before', evry: 2 }).error?.issues[0]).toMatchObject({
      keys: ['evry'],
    });
  });
});
