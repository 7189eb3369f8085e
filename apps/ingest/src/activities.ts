import type { PaymentRule } from '@sluice/payments';
import { createAssessPayments } from './assess-payments.js';
import type { Metrics } from './metrics.js';
import { createPersistPayments } from './persist-payments.js';
import type { InitActivities } from './phase-a.js';
import type { Payments, Slots } from './ports.js';

interface Parts {
  readonly payments: Payments;
  readonly slots: Slots;
  readonly rules: readonly PaymentRule[];
  readonly metrics: Metrics;
}

/** The activities of PaymentInitWorkflow; those of the queue come from queue-core. */
export function createInitActivities({ payments, slots, rules, metrics }: Parts): InitActivities {
  return {
    assessPayments: createAssessPayments({ payments, rules }),
    assignSlots: (wishes) => slots.assign(wishes),
    persistPayments: createPersistPayments({ payments, metrics }),
  };
}
