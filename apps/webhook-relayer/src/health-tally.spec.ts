import { createLogger } from '@sluice/service-kit';
import type { AttemptReport, HealthDelta } from './delivery-ports.js';
import { createHealthTally } from './health-tally.js';

const log = createLogger({ service: 'test', level: 'silent' });
const report = (changes: Partial<AttemptReport> = {}): AttemptReport => ({
  subscriptionId: 's',
  kind: 'delivered',
  durationMs: 60,
  statusCode: 200,
  ...changes,
});

describe('createHealthTally', () => {
  it('adds up by subscription what comes between two writes, and writes nothing when nothing came', async () => {
    const written: HealthDelta[][] = [];
    const tally = createHealthTally({
      store: { add: async (deltas) => void written.push([...deltas]) },
      log,
    });
    tally.report(report());
    tally.report(report({ durationMs: 40_000 }));
    tally.report(report({ kind: 'retried', statusCode: 503, errorCode: 'HTTP_503' }));
    tally.report(report({ subscriptionId: 'other', kind: 'failed', errorCode: 'HTTP_404' }));
    await tally.flush.close();
    await tally.flush.close();
    expect(written).toHaveLength(1);
    expect(written[0]).toMatchObject([
      {
        subscriptionId: 's',
        delivered: 2,
        retried: 1,
        failed: 0,
        durationBuckets: [0, 2, 0, 0, 0, 0, 0, 0, 0, 1],
        lastWasFailure: true,
        lastFailure: { statusCode: 503, errorCode: 'HTTP_503' },
      },
      { subscriptionId: 'other', failed: 1, lastWasFailure: true },
    ]);
  });

  it('keeps what could not be written, under what came since', async () => {
    const written: HealthDelta[][] = [];
    let isAway = true;
    const add = async (deltas: readonly HealthDelta[]): Promise<void> => {
      if (isAway) throw new Error('away');
      written.push([...deltas]);
    };
    const tally = createHealthTally({ store: { add }, log });
    tally.report(report({ kind: 'failed', errorCode: 'DNS' }));
    await expect(tally.flush.close()).rejects.toThrow('away');
    tally.report(report());
    isAway = false;
    await tally.flush.close();
    expect(written[0]).toMatchObject([
      { delivered: 1, failed: 1, lastWasFailure: false, lastFailure: { errorCode: 'DNS' } },
    ]);
  });
});
