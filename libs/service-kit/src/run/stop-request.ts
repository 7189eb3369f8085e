export type StopReason =
  | { readonly kind: 'signal'; readonly signal: string }
  /** Something broke; `what` completes the sentence "stopping, because …". */
  | { readonly kind: 'failure'; readonly what: string };

/** The one place where all reasons to stop meet. The first one counts, whenever it comes; later ones change nothing. */
export interface StopRequest {
  readonly made: Promise<StopReason>;
  readonly isMade: () => boolean;
  make(reason: StopReason): void;
}

export function createStopRequest(): StopRequest {
  const { promise, resolve } = Promise.withResolvers<StopReason>();
  let made = false;
  return {
    made: promise,
    isMade: () => made,
    make(reason) {
      made = true;
      resolve(reason);
    },
  };
}
