import type { ConfigRow } from '@sluice/queue-core';
import { triggerCycle } from './trigger-cycle.js';

const wish = { itemType: 'SAMPLE', reason: 'the day ends', by: 'ann' };

function setUp(row: unknown) {
  const calls: string[] = [];
  const parts = {
    schedulePrefix: 'dispatch-',
    queue: {
      readConfig: async () => row as ConfigRow | null,
      recordAction: async ({ action, by, reason }: { action: string; by: string; reason: string }) => {
        calls.push(`${action} by ${by}: ${reason}`);
      },
    },
    schedules: {
      trigger: async (scheduleId: string) => {
        calls.push(scheduleId);
        return 'triggered' as const;
      },
    },
  };
  return { parts, calls };
}

describe('triggerCycle', () => {
  it('writes down who wants it before it asks', async () => {
    const { parts, calls } = setUp({ config: { enabled: true } });
    expect(await triggerCycle(parts, wish)).toEqual({ kind: 'triggered', scheduleId: 'dispatch-sample' });
    expect(calls).toEqual(['CYCLE_REQUESTED by ann: the day ends', 'dispatch-sample']);
  });

  it('asks for nothing that is switched off or unknown', async () => {
    const off = setUp({ config: { enabled: false } });
    expect(await triggerCycle(off.parts, wish)).toEqual({ kind: 'paused' });
    const unknown = setUp(null);
    expect(await triggerCycle(unknown.parts, wish)).toEqual({ kind: 'unknown' });
    expect([...off.calls, ...unknown.calls]).toEqual([]);
  });
});
