import type { Reporter } from '../reporting/reporter.js';
import type { RunningServices } from '../services/start-services.js';
import { createApiClient } from './api-client.js';
import { runDemonstration } from './run-demonstration.js';
import { applySettings } from './settings.js';
import { summaryOf } from './show-summary.js';

/** Long enough for the herd to be in before its instant comes, as it would be on a working day. */
const LEAD_MS = 6_000;
/** Longer than a claim takes to go stale and be taken over: what a busy machine delays is late, not lost. */
const PATIENCE_MS = 240_000;

/** Shows the system at work: sets it up as an operator would, sends the herd, and tells what became of it. */
export async function demonstrate(at: {
  readonly running: RunningServices;
  readonly reporter: Reporter;
  readonly count: number;
  readonly signal: AbortSignal;
}): Promise<{ readonly ok: boolean; readonly summary: string }> {
  const { running, reporter, count, signal } = at;
  const api = createApiClient(running.operator.key);
  await applySettings(api, {
    slotAssignerUrl: urlOf(running, 'slot-assigner'),
    dispatcherUrl: urlOf(running, 'dispatcher'),
    webhookRelayerUrl: urlOf(running, 'webhook-relayer'),
    sinkUrl: running.sinkUrl,
  });
  const executeAt = new Date(Math.ceil((Date.now() + LEAD_MS) / 1000) * 1000);
  const result = await runDemonstration({
    api,
    ingestUrl: urlOf(running, 'ingest'),
    dispatcherUrl: urlOf(running, 'dispatcher'),
    railUrl: running.railUrl,
    sinkUrl: running.sinkUrl,
    run: `demo-${Date.now().toString(36)}`,
    count,
    executeAt,
    patienceMs: PATIENCE_MS,
    signal,
    onProgress: ({ sent, executed, notified }) => {
      const done = notified >= count && executed >= count;
      reporter.step(
        'demonstration',
        done ? 'ready' : 'running',
        `${count} payments for ${executeAt.toISOString().slice(11, 19)}: ${sent} accepted, ${executed} executed, ${notified} notified`,
      );
    },
  });
  return {
    ok: result.verdict.ok && result.verdict.accepted === count,
    summary: summaryOf(result, executeAt),
  };
}

function urlOf(running: RunningServices, name: string): string {
  const service = running.services.find((candidate) => candidate.name === name);
  if (service === undefined) throw new Error(`no service is called ${name}`);
  return service.url;
}
