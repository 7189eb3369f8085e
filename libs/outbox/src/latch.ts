/** Remembers that somebody called while nobody was waiting, so that no call is lost between two waits. */
export interface Latch {
  readonly open: () => void;
  /** resolves when opened (at once, if that happened since the last wait), after `ms`, or when the signal aborts */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
}

export function createLatch(): Latch {
  let opened = false;
  let release: () => void = () => undefined;
  return {
    open() {
      opened = true;
      release();
    },
    async wait(ms, signal) {
      if (!opened && !signal.aborted) {
        const timer = setTimeout(() => release(), ms);
        const aborted = (): void => release();
        signal.addEventListener('abort', aborted, { once: true });
        await new Promise<void>((resolve) => (release = resolve));
        signal.removeEventListener('abort', aborted);
        clearTimeout(timer);
      }
      opened = false;
    },
  };
}
