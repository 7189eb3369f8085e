import { checkedInstant, readInstant } from './read-instant.js';

describe('instants of requests', () => {
  it('are the same however often they are read', () => {
    const text = '2035-06-01T12:00:00+02:00';
    expect([readInstant(text), readInstant(text)]).toEqual([
      new Date('2035-06-01T10:00:00Z'),
      new Date('2035-06-01T10:00:00Z'),
    ]);
  });

  it.each(['noon', '2035-06-01T12:00:00', '1999-12-31T23:59:59Z', '2200-01-01T00:00:00Z'])(
    'are none: %s',
    (text) => {
      expect(readInstant(text)).toBeUndefined();
      expect(() => checkedInstant(text)).toThrow(RangeError);
    },
  );

  it('are read right when more came than are remembered', () => {
    const at = (ms: number) => new Date(Date.parse('2035-06-01T12:00:00Z') + ms);
    for (let ms = 0; ms < 5_000; ms += 1) expect(readInstant(at(ms).toISOString())).toEqual(at(ms));
  });
});
