import { describeVerdict } from '../checker/index.js';
import type { RunningServices } from '../services/start-services.js';
import type { DemonstrationResult } from './run-demonstration.js';

/** What became of the herd, counted by the ledgers of those outside. */
export function summaryOf(result: DemonstrationResult, executeAt: Date): string {
  const { verdict } = result;
  const count = (label: string, value: number): string => `  ${label.padEnd(34)}${String(value).padStart(6)}`;
  return [
    'What became of the herd:',
    count('accepted by ingest', verdict.accepted),
    count('dispatched (the queue)', result.dispatched),
    count('executed (the rail’s ledger)', verdict.executed),
    count('notified (the sink’s ledger)', verdict.notices?.notified ?? 0),
    count('lost', verdict.lost.length),
    count('doubled', verdict.doubled.length),
    count('out of order', verdict.disorder.length),
    `  all wanted ${clock(executeAt)}; the rail executed the first at ${clock(result.firstExecution)}, the last at ${clock(result.lastExecution)}`,
    ...(verdict.ok ? [] : ['', describeVerdict(verdict)]),
  ].join('\n');
}

/** Where everything is, for a person who wants to go on from here. */
export function addressesOf(running: RunningServices, servers: Readonly<Record<string, string>>): string {
  const rows = [
    ...running.services.map(({ name, url, opsUrl }) => [name, `${url}   ops ${opsUrl}`]),
    ['rail simulator', running.railUrl],
    ['webhook sink', running.sinkUrl],
    ...Object.entries(servers),
    ['operator’s key', running.operator.key],
  ];
  return rows.map(([name = '', value = '']) => `  ${name.padEnd(18)}${value}`).join('\n');
}

function clock(time: Date | undefined): string {
  return time === undefined ? 'never' : time.toISOString().slice(11, 23);
}
