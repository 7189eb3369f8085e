import { ApplicationFailure } from '@temporalio/common';
import type { Clock } from '@sluice/service-kit';
import { PaymentMissingError } from './errors.js';
import type { ExecActivities, StepInput, StepOutcome } from './exec-steps.js';
import { createExecutePayment } from './execute-payment.js';
import { createNotifyPayment } from './notify-payment.js';
import type { Executions } from './ports.js';
import { createPostProcessPayment } from './post-process-payment.js';

type Step = (input: StepInput) => Promise<StepOutcome>;

/** The activities of PaymentExecWorkflow. */
export function createExecActivities(parts: {
  readonly executions: Executions;
  readonly clock: Clock;
}): ExecActivities {
  return {
    execute: forTemporal(createExecutePayment(parts)),
    postProcess: forTemporal(createPostProcessPayment(parts)),
    notify: forTemporal(createNotifyPayment(parts)),
  };
}

/** Temporal repeats whatever fails, except what cannot get better. */
function forTemporal(step: Step): Step {
  return async (input) => {
    try {
      return await step(input);
    } catch (error) {
      if (error instanceof PaymentMissingError) {
        throw ApplicationFailure.nonRetryable(error.message, error.code);
      }
      throw error;
    }
  };
}
