import type { OutboxStore, Settled, Settlement } from './ports.js';

interface Waiting {
  readonly settlement: Settlement;
  readonly resolve: (settled: Settled) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * One write at a time; outcomes that arrive meanwhile, or in the same turn of the event loop, share the next one. Alone
 * an outcome waits for nothing, and under load many outcomes cost one round trip and one commit.
 */
export function settleInBatches(
  store: Pick<OutboxStore, 'settle'>,
  maxBatch: number,
): (settlement: Settlement) => Promise<Settled> {
  let waiting: Waiting[] = [];
  let writing = false;

  async function write(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, maxBatch);
      waiting = waiting.slice(maxBatch);
      try {
        const settled = await store.settle(batch.map((entry) => entry.settlement));
        const answers = new Map(settled.map((one) => [nameOf(one), one]));
        batch.forEach((entry) => answer(entry, answers.get(nameOf(entry.settlement))));
      } catch (error) {
        batch.forEach((entry) => entry.reject(error));
      }
    }
    writing = false;
  }

  return (settlement) =>
    new Promise((resolve, reject) => {
      waiting.push({ settlement, resolve, reject });
      if (writing) return;
      writing = true;
      setImmediate(() => void write());
    });
}

/** One instruction may be claimed twice by the same process, under two tokens: the id alone does not name a claim. */
function nameOf({ outboxId, token }: { readonly outboxId: string; readonly token: string }): string {
  return `${outboxId}/${token}`;
}

function answer({ resolve, reject }: Waiting, settled: Settled | undefined): void {
  if (settled) resolve(settled);
  else reject(new Error('the store did not answer for every settlement'));
}
