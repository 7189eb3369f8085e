import { createRules, type RuleSettings } from '@sluice/payments';
import { backoffDelay, pause, systemClock, type Logger } from '@sluice/service-kit';
import { createAcceptPayments } from './accept-payments.js';
import { createInitActivities } from './activities.js';
import { createCancelPayment } from './cancel-payment.js';
import { createComposeTimeline } from './compose-timeline.js';
import type { Connections } from './connections.js';
import type { Metrics } from './metrics.js';
import { createUploadPayments } from './upload-payments.js';
import { createViewPayment } from './view-payment.js';

interface Parts {
  readonly outside: Omit<Connections, 'pool' | 'queueStore' | 'dependencies' | 'lookAlikes' | 'close'>;
  readonly settings: RuleSettings;
  readonly metrics: Metrics;
  readonly log: Logger;
  /** Aborts when the service stops. */
  readonly stopping: AbortSignal;
  readonly uploadPatienceMs: number;
}

/** What ingest does, over whatever it is connected to. */
export function createUseCases({ outside, settings, metrics, log, stopping, uploadPatienceMs }: Parts) {
  const { receipts, requestKeys, workflows, views, cancellations, limits, timeline } = outside;
  const acceptPayments = createAcceptPayments({ receipts, workflows, metrics });
  const activities = createInitActivities({
    ...outside,
    calendars: settings.calendars ?? {},
    rules: createRules(settings),
    onRuleFailure(rule, err) {
      metrics.ruleFailed();
      log.error({ err, rule }, 'a rule could not be applied; the payment is rejected');
    },
    metrics,
    clock: systemClock,
  });
  const api = {
    acceptPayments,
    requestKeys,
    views,
    limits,
    viewPayment: createViewPayment({ views, receipts, workflows }),
    cancelPayment: createCancelPayment({ views, cancellations, clock: systemClock }),
    composeTimeline: createComposeTimeline({ views, receipts, workflows, sources: timeline.sources }),
    uploadPayments: createUploadPayments({
      acceptPayments,
      stopping,
      rest: restWithin(uploadPatienceMs, stopping),
    }),
  };
  return { acceptPayments, activities, api };
}

/** Rests between attempts until all of them together have taken the time there is. */
function restWithin(patienceMs: number, signal: AbortSignal) {
  return async (attempt: number): Promise<boolean> => {
    // Half of the longest delay on average, so that the sum over the attempts is about the patience.
    const spent = Array.from({ length: attempt - 1 }, (_, i) => Math.min(2000, 200 * 2 ** i) / 2);
    if (spent.reduce((sum, ms) => sum + ms, 0) >= patienceMs || signal.aborted) return false;
    await pause(backoffDelay(attempt, { initialMs: 200, capMs: 2000, random: Math.random }), signal);
    return true;
  };
}
