/** Does work for many callers at once: an answer for each item, in the order of the items. */
export type Bulk<In, Out> = (items: readonly In[]) => Promise<readonly Out[]>;

interface Waiting<In, Out> {
  readonly items: readonly In[];
  readonly resolve: (answers: readonly Out[]) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * One piece of work at a time; what comes meanwhile goes into the next one. Alone a caller waits for nothing, and under load
 * many callers share one round trip and one commit. When it fails, it has failed for all that shared it.
 */
export function gather<In, Out>(work: Bulk<In, Out>, maxItems: number): Bulk<In, Out> {
  const waiting: Waiting<In, Out>[] = [];
  let isWorking = false;

  const takeBatch = (): Waiting<In, Out>[] => {
    let size = 0;
    const fitting = waiting.findIndex(({ items }, at) => {
      size += items.length;
      return at > 0 && size > maxItems;
    });
    return waiting.splice(0, fitting === -1 ? waiting.length : fitting);
  };

  const workOff = async (): Promise<void> => {
    isWorking = true;
    while (waiting.length > 0) {
      const batch = takeBatch();
      try {
        const answers = await work(batch.flatMap(({ items }) => items));
        let from = 0;
        for (const { items, resolve } of batch) {
          resolve(answers.slice(from, from + items.length));
          from += items.length;
        }
      } catch (error) {
        batch.forEach(({ reject }) => reject(error));
      }
    }
    isWorking = false;
  };

  return (items) =>
    new Promise((resolve, reject) => {
      waiting.push({ items, resolve, reject });
      if (!isWorking) void workOff();
    });
}
