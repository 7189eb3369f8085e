/** What the workflow and its activities agree on. No imports: the workflow's sandbox knows nothing of Node.js. */
export interface StepInput {
  readonly paymentId: string;
  readonly contextJson: string;
  /** the workflow, for the audit trail */
  readonly by: string;
}

/**
 * done: the step's change stands, made now or by an earlier run.
 * stopped: the payment has left this way (it failed, or was cancelled meanwhile) and the workflow ends.
 */
export type StepOutcome = { readonly kind: 'done' } | { readonly kind: 'stopped'; readonly status: string };

/** Each is one transaction and safe to repeat. */
export interface ExecActivities {
  execute(input: StepInput): Promise<StepOutcome>;
  postProcess(input: StepInput): Promise<StepOutcome>;
  notify(input: StepInput): Promise<StepOutcome>;
}

/** Where the payment stood when its workflow ended. */
export interface ExecResult {
  readonly status: string;
}
