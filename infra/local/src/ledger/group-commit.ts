import { LedgerError } from './ledger-error.js';

export interface GroupCommit<Item> {
  /** Resolves once the item is committed. */
  add(item: Item): Promise<void>;
  /** Resolves once nothing waits any more. */
  drain(): Promise<void>;
  failure(): LedgerError | undefined;
}

interface Waiter<Item> {
  readonly item: Item;
  resolve(): void;
  reject(error: LedgerError): void;
}

/**
 * Items that arrive while a commit runs share the next one, so that a thousand concurrent appends cost a few syncs.
 * After a failed commit everything is refused: a sync that failed once may report success the second time although
 * the pages are lost, so only a restart, which reads the file again, can tell what is there.
 */
export function createGroupCommit<Item>(options: {
  commit(items: readonly Item[]): Promise<void>;
  maxWaiting: number;
}): GroupCommit<Item> {
  let waiting: Waiter<Item>[] = [];
  let running: Promise<void> | undefined;
  let failure: LedgerError | undefined;

  async function commitAll(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      try {
        await options.commit(batch.map((waiter) => waiter.item));
        for (const waiter of batch) waiter.resolve();
      } catch (cause) {
        const failed = new LedgerError(
          'LEDGER_FAILED',
          'the ledger could not be written; restart the process',
          {
            cause,
          },
        );
        failure = failed;
        for (const waiter of [...batch, ...waiting]) waiter.reject(failed);
        waiting = [];
      }
    }
    running = undefined;
  }

  return {
    add(item) {
      if (failure !== undefined) return Promise.reject(failure);
      if (waiting.length >= options.maxWaiting) {
        return Promise.reject(
          new LedgerError('LEDGER_FULL', `${waiting.length} lines wait for the disk already`),
        );
      }
      const committed = new Promise<void>((resolve, reject) => {
        waiting.push({ item, resolve, reject });
      });
      running ??= commitAll();
      return committed;
    },
    async drain() {
      await running;
    },
    failure: () => failure,
  };
}
