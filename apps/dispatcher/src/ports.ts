/** What happened to one start. A start never throws: each ending decides what becomes of the item. */
export type StartOutcome =
  | { readonly kind: 'started' }
  /** The id is or was in use: an earlier attempt came through. Success. */
  | { readonly kind: 'already_started' }
  /** Temporal asks for less. Nothing is wrong with the item. */
  | { readonly kind: 'throttled'; readonly error: string }
  /** No answer, or not in time. The workflow may have started all the same. */
  | { readonly kind: 'unreachable'; readonly error: string }
  | { readonly kind: 'failed'; readonly error: string };

export interface StartRequest {
  readonly workflowId: string;
  readonly workflowType: string;
  readonly taskQueue: string;
  readonly args: readonly [itemId: string, contextJson: string];
  /** 0 starts at once. */
  readonly startDelayMs: number;
}

/** Starts exec workflows, each id once for as long as Temporal remembers it. */
export interface ExecStarter {
  start(request: StartRequest): Promise<StartOutcome>;
  /** Whether Temporal answers at all; tells an outage from a start that gets no answer by its own fault. */
  isReachable(): Promise<boolean>;
}

/** One Temporal Schedule as it should be. */
export interface SchedulePlan {
  readonly scheduleId: string;
  readonly itemType: string;
  readonly intervalSecs: number;
  readonly taskQueue: string;
  /** Ends a hanging cycle: while it runs, every later one is skipped. */
  readonly runTimeoutSecs: number;
}

export interface DispatchSchedules {
  /** Creates the Schedule, or makes it agree with the plan; leaves a paused one paused. */
  ensure(plan: SchedulePlan): Promise<'created' | 'updated' | 'unchanged'>;
  /** Starts a cycle now, also when the Schedule is paused, but never beside one that runs. */
  trigger(scheduleId: string): Promise<'triggered' | 'running' | 'no_schedule' | 'unreachable'>;
}

/** Time as a cycle sees it; replaced in tests. */
export interface CycleTime {
  /** Milliseconds of a clock that never jumps. */
  now(): number;
  /** Waits; returns early when the signal aborts. */
  pause(ms: number, signal: AbortSignal): Promise<void>;
  /** At least 0 and less than 1. */
  random(): number;
}
