import { createAssessPayments, type AssessParts } from './assess-payments.js';
import type { InitActivities } from './phase-a.js';
import type { Slots } from './ports.js';
import { createSchedulePayments, type ScheduleParts } from './schedule-payments.js';

/** The activities of PaymentInitWorkflow. */
export function createInitActivities(
  parts: AssessParts & ScheduleParts & { readonly slots: Slots },
): InitActivities {
  return {
    assessPayments: createAssessPayments(parts),
    assignSlots: (wishes) => parts.slots.assign(wishes),
    schedulePayments: createSchedulePayments(parts),
  };
}
