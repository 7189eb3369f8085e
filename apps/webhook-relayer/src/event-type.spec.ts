import { eventType, eventTypePattern, patternsMatching } from './event-type.js';

describe('patternsMatching', () => {
  it.each([
    ['payment', ['payment', '*']],
    ['payment.accepted', ['payment.accepted', 'payment.*', '*']],
    ['payment.card.accepted', ['payment.card.accepted', 'payment.card.*', 'payment.*', '*']],
  ])('%s is wanted by %j', (type, patterns) => {
    expect(patternsMatching(type)).toEqual(patterns);
  });

  it('gives patterns that a subscription may hold, and no others', () => {
    for (const pattern of patternsMatching('a.b-c.d_e'))
      expect(eventTypePattern.safeParse(pattern).success).toBe(true);
  });
});

describe('event types', () => {
  it.each(['payment', 'payment.accepted', 'a-b.c_d.e1'])('takes %s as a type and as a pattern', (type) => {
    expect(eventType.safeParse(type).success).toBe(true);
    expect(eventTypePattern.safeParse(type).success).toBe(true);
  });

  it.each(['*', 'payment.*', 'a.b.*'])('takes %s as a pattern only', (pattern) => {
    expect(eventType.safeParse(pattern).success).toBe(false);
    expect(eventTypePattern.safeParse(pattern).success).toBe(true);
  });

  it.each(['', '.', 'a.', '.a', 'a..b', 'pay*', '*.accepted', 'a.*.b', 'a b', 'a.**'])(
    'refuses %j',
    (text) => {
      expect(eventType.safeParse(text).success).toBe(false);
      expect(eventTypePattern.safeParse(text).success).toBe(false);
    },
  );
});
