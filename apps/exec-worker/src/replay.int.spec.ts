// What exec workflows went through when these files were saved, against the workflow as it is built now. A workflow that waits
// in production does the same: one that cannot be replayed here would get stuck there. workflows.int.spec.ts says how to save.
import { join } from 'node:path';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { savedHistories } from './testing/histories.js';

const workflowBundle = { codePath: join(__dirname, '..', 'dist', 'workflow-bundle.js') };
const histories = savedHistories();

beforeAll(() => {
  Runtime.install({
    logger: new DefaultLogger('ERROR', () => undefined),
    telemetryOptions: { logging: { filter: 'OFF', forward: {} } },
  });
});

const replay = (history: string) =>
  Worker.runReplayHistory({ workflowBundle }, JSON.parse(history) as unknown);

it('has a history for each end of an exec workflow', () => {
  expect(histories.map(([name]) => name).toSorted()).toEqual([
    'cancelled.json',
    'failed.json',
    'processing.json',
  ]);
});

it.each(histories)('replays %s', async (_name, history) => {
  await replay(history);
});

it.each(histories)('has at most nine events in %s', (_name, history) => {
  const { events } = JSON.parse(history) as { events: unknown[] };
  expect(events.length).toBeLessThanOrEqual(9);
});

it('finds out when the steps come in another order', async () => {
  const processing = histories.find(([name]) => name === 'processing.json')?.[1] ?? '';
  const swapped = processing.replaceAll(/"data": "([A-Za-z0-9+/=]+)"/g, (whole, data: string) => {
    const text = Buffer.from(data, 'base64').toString('utf8');
    const other = text.replace('"activity_type":"execute"', '"activity_type":"notify"');
    return other === text ? whole : `"data": "${Buffer.from(other).toString('base64')}"`;
  });
  expect(swapped).not.toBe(processing);
  await expect(replay(swapped)).rejects.toThrow();
});
