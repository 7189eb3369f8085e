/** What happens at a failpoint. `stall` blocks the whole process, as a long pause of the machine does. */
export type Failure = 'throw' | 'kill' | 'stall' | 'cut';

/** The awaits of a life in the outbox; each can fail before it begins and after it is done but not yet known. */
export const steps = [
  'enqueue',
  'commit',
  'claim',
  'send',
  'ask',
  'outcome',
  'requeue',
  'reap',
  'redrive',
] as const;

export type Step = (typeof steps)[number];

export interface Plan {
  readonly step: Step;
  readonly side: 'before' | 'after';
  readonly failure: Failure;
}

export interface Failpoints {
  /** runs the call with whatever is planned for the step, once */
  pass<T>(step: Step, call: () => Promise<T>): Promise<T>;
}

export interface FailureMeans {
  readonly stallMs: number;
  /** breaks the connection to the database: before the step's statement is sent, or when its answer comes back */
  readonly cut: (step: Step, side: 'before' | 'after') => void;
  readonly kill: () => void;
  /** the failpoint is reached */
  readonly tell: () => void;
}

/** Where a step has no statement of its own, the connections are cut around it. */
function isAtDatabase(step: Step): boolean {
  return step !== 'send' && step !== 'ask';
}

export function createFailpoints(plan: Plan | undefined, means: FailureMeans): Failpoints {
  let fired = false;

  function fire(): void {
    fired = true;
    means.tell();
  }

  async function fail({ step, side, failure }: Plan): Promise<void> {
    fire();
    if (failure === 'throw') throw new Error(`failpoint ${step} ${side}`);
    if (failure === 'cut') means.cut(step, side);
    if (failure === 'stall') {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, means.stallMs);
    }
    if (failure === 'kill') {
      means.kill();
      await new Promise(() => undefined);
    }
  }

  return {
    async pass(step, call) {
      const due = !fired && plan?.step === step ? plan : undefined;
      if (due?.failure === 'cut' && isAtDatabase(step)) {
        fire();
        means.cut(step, due.side);
        return call();
      }
      if (due?.side === 'before') await fail(due);
      const result = await call();
      if (due?.side === 'after') await fail(due);
      return result;
    },
  };
}
