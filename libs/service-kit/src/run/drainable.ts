/** Something that takes in work until it is told to stop, and then needs time to finish. */
export interface Drainable {
  readonly name: string;
  /** Takes in nothing new from here on. */
  stop(): void;
  /** Resolves when all work has been finished; rejects when it could not be finished in order. */
  readonly stopped: Promise<void>;
  /** Drops what has not been finished. */
  abandon?(): void;
}
