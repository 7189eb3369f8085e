import type { PaymentId, PaymentRequest, Reason } from '@sluice/payments';
import type { SlotAnswer, SlotWish } from './ports.js';

export const initWorkflowType = 'PaymentInitWorkflow';

/** Most payments in one run: their requests go through the workflow's history. */
export const mostPaymentsPerRun = 200;

/** The ways in. */
export const intakes = ['single', 'batch', 'upload', 'kafka'] as const;
export type Intake = (typeof intakes)[number];

export interface PaymentInitInput {
  /** As the intake let them through; Phase A parses them again and trusts none. */
  readonly requests: readonly PaymentRequest[];
}

/** What became of the payments of one run, each counted once. */
export interface PaymentInitResult {
  readonly scheduled: number;
  readonly rejected: number;
  /** In the table before this run, with the same request. */
  readonly already: number;
  /** Ids that belong to a payment with another request; those payments were left alone. */
  readonly conflicts: readonly PaymentId[];
  /** Requests without a usable id, which no row can be written for. */
  readonly unreadable: number;
}

/**
 * What to do with the request at `index`. ready: get a slot and write it. known: its row is there, see that the rest is
 * too. rejected: write it with its reason. conflict, unreadable: touch nothing.
 */
export type Verdict =
  | {
      readonly kind: 'ready';
      readonly index: number;
      readonly paymentId: PaymentId;
      readonly executeAt: string;
    }
  | { readonly kind: 'known'; readonly index: number; readonly paymentId: PaymentId }
  | {
      readonly kind: 'rejected';
      readonly index: number;
      readonly paymentId: PaymentId;
      readonly reason: Reason;
    }
  | { readonly kind: 'conflict'; readonly index: number; readonly paymentId: PaymentId }
  | { readonly kind: 'unreadable'; readonly index: number; readonly reason: Reason };

export interface ScheduleInput {
  readonly requests: readonly PaymentRequest[];
  readonly verdicts: readonly Verdict[];
  readonly slots: readonly SlotAnswer[];
  readonly initWorkflowId: string;
}

export interface ScheduleResult extends PaymentInitResult {
  /** Payments that the queue holds with another context. */
  readonly queueConflicts: readonly string[];
}

/** The steps of Phase A. Each is safe to repeat: a retry finds what the attempt before it has done, and goes on. */
export interface InitActivities {
  assessPayments(input: { requests: readonly PaymentRequest[]; receivedAt: string }): Promise<Verdict[]>;
  assignSlots(wishes: readonly SlotWish[]): Promise<SlotAnswer[]>;
  schedulePayments(input: ScheduleInput): Promise<ScheduleResult>;
}
