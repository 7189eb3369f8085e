import type { Instruction } from './ports.js';

/** What a destination says about a send. */
export type SendResult =
  | { readonly kind: 'executed'; readonly reference?: string | undefined; readonly code?: string | undefined }
  /** surely not executed; may succeed later */
  | {
      readonly kind: 'retryable';
      readonly code: string;
      readonly message: string;
      readonly retryAfterMs?: number | undefined;
    }
  /** not even tried, since the destination takes nothing now (its circuit is open, say): uses up no attempt */
  | {
      readonly kind: 'deferred';
      readonly code: string;
      readonly message: string;
      readonly retryAfterMs: number;
    }
  /** surely not executed and never will be; `holds` overrides the destination's policy for this class of error */
  | {
      readonly kind: 'terminal';
      readonly code: string;
      readonly message: string;
      readonly holds?: boolean | undefined;
    }
  /** no answer, or one that does not tell whether it was executed */
  | { readonly kind: 'unknown'; readonly code: string; readonly message: string };

export type StatusResult =
  | { readonly kind: 'executed'; readonly reference?: string | undefined; readonly code?: string | undefined }
  /** surely not executed, and an earlier send can no longer be executed behind our back */
  | { readonly kind: 'notExecuted' }
  /** the question was not even asked, as with a send: uses up no attempt */
  | {
      readonly kind: 'deferred';
      readonly code: string;
      readonly message: string;
      readonly retryAfterMs: number;
    }
  | { readonly kind: 'unknown'; readonly code: string; readonly message: string };

/** Whether a participant waits for an operator after an instruction of it came to such an end. */
export interface HoldPolicy {
  /** default false: the next instruction goes */
  readonly afterFailure: boolean;
  /** default true: nothing goes until somebody found out what happened */
  readonly whileInDoubt: boolean;
}

/** Where instructions go. A thrown error counts as `unknown`. */
export interface Destination {
  /** a repeated send with the same idempotency key has no second effect */
  readonly recognisesKeys: boolean;
  readonly holds?: HoldPolicy | undefined;
  send(instruction: Instruction, signal: AbortSignal): Promise<SendResult>;
  /** asks by the idempotency key; leave it out when the destination cannot answer */
  status?(instruction: Instruction, signal: AbortSignal): Promise<StatusResult>;
  /**
   * How many more instructions it would take now, beside those it is busy with: 0 while its circuit is open, a few
   * for probes, Infinity otherwise. The relay claims no more than that, so an outage leaves no trace in the attempts.
   */
  capacity?(): number;
}
