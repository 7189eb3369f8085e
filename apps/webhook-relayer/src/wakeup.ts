/** Ends a rest early. A call that comes while nobody rests is kept for the next rest. */
export interface Wakeup {
  notify(): void;
  /** Resolves at the next call, or when the signal aborts. */
  wait(signal: AbortSignal): Promise<void>;
  /** Forgets calls that came before: what they announced is about to be looked at. */
  clear(): void;
}

export function createWakeup(): Wakeup {
  let called = false;
  let rouse: (() => void) | undefined;
  return {
    notify() {
      called = true;
      rouse?.();
    },
    clear() {
      called = false;
    },
    wait(signal) {
      if (called || signal.aborted) return Promise.resolve();
      return new Promise((resolve) => {
        const finish = (): void => {
          rouse = undefined;
          signal.removeEventListener('abort', finish);
          resolve();
        };
        rouse = finish;
        signal.addEventListener('abort', finish, { once: true });
      });
    },
  };
}
