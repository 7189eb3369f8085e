import { busyMs } from './busy-time.js';

const span = (fromMs: number, toMs: number) => ({ fromMs, toMs });

describe('busy time', () => {
  it.each([
    { what: 'nothing', spans: [], busy: 0 },
    { what: 'one span', spans: [span(100, 150)], busy: 50 },
    { what: 'spans with a short gap, the gap included', spans: [span(0, 50), span(60, 100)], busy: 100 },
    { what: 'spans with a long gap, without it', spans: [span(0, 50), span(1_000, 1_050)], busy: 100 },
    { what: 'spans in any order', spans: [span(1_000, 1_050), span(0, 50)], busy: 100 },
    { what: 'spans inside each other once', spans: [span(0, 100), span(20, 30), span(90, 110)], busy: 110 },
  ])('of $what', ({ spans, busy }) => {
    expect(busyMs(spans, 100)).toBe(busy);
  });
});
