import { DRAW_LIMIT, drawFor } from './draw.js';

describe('the draw of an event', () => {
  it('is the same whenever it is drawn, and another for another event or config', () => {
    expect(drawFor('payments', 'pay-1')).toBe(drawFor('payments', 'pay-1'));
    expect(drawFor('payments', 'pay-1')).not.toBe(drawFor('payments', 'pay-2'));
    expect(drawFor('payments', 'pay-1')).not.toBe(drawFor('refunds', 'pay-1'));
  });

  it('falls into each tenth of the window about as often', () => {
    const tenths = Array.from({ length: 10 }, () => 0);
    for (let event = 0; event < 10_000; event += 1) {
      const tenth = Math.floor((drawFor('payments', `pay-${event}`) * 10) / DRAW_LIMIT);
      tenths[tenth] = (tenths[tenth] ?? 0) + 1;
    }
    // Four standard deviations of a fair draw.
    for (const count of tenths) expect(Math.abs(count - 1_000)).toBeLessThan(120);
  });
});
