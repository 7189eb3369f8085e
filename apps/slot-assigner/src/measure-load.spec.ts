import type { SlotLoad } from '@sluice/rate-window';
import { createMeasureLoad } from './measure-load.js';
import type { Load } from './measure-load.js';
import type { RateConfig } from './ports.js';

const now = new Date('2035-06-01T12:00:01Z');

function loadOf(taken: number, capacity: number, furthest: string | null): SlotLoad {
  const windowStart = new Date('2035-06-01T12:00:00Z');
  const windowEnd = new Date('2035-06-01T12:00:04Z');
  const furthestWindow = furthest === null ? null : new Date(furthest);
  return { now, currentWindow: { windowStart, windowEnd, taken, capacity }, furthestWindow };
}

async function measure(configNames: string[], load: SlotLoad): Promise<readonly Load[]> {
  let measured: readonly Load[] = [];
  const step = createMeasureLoad({
    configs: { listActive: async () => configNames.map((configName) => ({ configName }) as RateConfig) },
    slots: { measure: async () => load },
    onMeasured: (loads) => (measured = loads),
  });
  await step(new AbortController().signal);
  return measured;
}

describe('the gauges of windows', () => {
  it('show how full the present window is and how far ahead the last slot lies', async () => {
    const load = loadOf(25, 100, '2035-06-01T12:01:01Z');
    expect(await measure(['payments'], load)).toEqual([
      { configName: 'payments', fill: 0.25, furthestSeconds: 60 },
    ]);
  });

  it.each([
    ['no slot lies ahead', loadOf(0, 100, null), { fill: 0, furthestSeconds: 0 }],
    ['the last window has begun', loadOf(1, 10, '2035-06-01T12:00:00Z'), { fill: 0.1, furthestSeconds: 0 }],
    ['the calendar is closed', loadOf(0, 0, null), { fill: 0, furthestSeconds: 0 }],
    ['the calendar closed over slots', loadOf(7, 0, null), { fill: 1, furthestSeconds: 0 }],
    ['the capacity was lowered', loadOf(20, 10, null), { fill: 2, furthestSeconds: 0 }],
  ])('are finite when %s', async (_case, load, expected) => {
    expect(await measure(['a'], load)).toEqual([{ configName: 'a', ...expected }]);
  });

  it('are kept for no more than 50 rate limits', async () => {
    const names = Array.from({ length: 60 }, (_, index) => `config-${index}`);
    expect(await measure(names, loadOf(0, 1, null))).toHaveLength(50);
  });
});
