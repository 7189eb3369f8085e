/** Ends a rest early. A call that comes while nobody rests is kept for the next rest. */
export interface Wakeup {
  notify(): void;
  /** Resolves at the next call, when the signal aborts, or after so many milliseconds. */
  wait(signal: AbortSignal, atMostMs?: number): Promise<void>;
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
    wait(signal, atMostMs) {
      if (called || signal.aborted) return Promise.resolve();
      return new Promise((resolve) => {
        let timer: NodeJS.Timeout | undefined;
        const finish = (): void => {
          rouse = undefined;
          clearTimeout(timer);
          signal.removeEventListener('abort', finish);
          resolve();
        };
        rouse = finish;
        if (atMostMs !== undefined) timer = setTimeout(finish, atMostMs);
        signal.addEventListener('abort', finish, { once: true });
      });
    },
  };
}
