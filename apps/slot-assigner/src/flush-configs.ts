import type { ActiveConfigs, Announcements, Notice, Observer } from './ports.js';

export interface Flushed {
  /** Rate limits that this node had remembered. */
  readonly forgotten: number;
  /** Whether the other nodes were told; those that were not forget by age. */
  readonly announced: boolean;
}

/** Makes every node read its rate limits anew. */
export function createFlushConfigs(
  configs: Pick<ActiveConfigs, 'forgetAll'>,
  announcements: Announcements,
): () => Promise<Flushed> {
  return async () => {
    const forgotten = configs.forgetAll();
    return { forgotten, announced: await announcements.announce({ kind: 'flush' }) };
  };
}

/** What a node does about a notice, its own included. */
export function createHeedNotice(
  configs: Pick<ActiveConfigs, 'forget' | 'forgetAll'>,
  observer: Pick<Observer, 'noticed'>,
): (notice: Notice) => void {
  return (notice) => {
    observer.noticed(notice.kind);
    if (notice.kind === 'changed') configs.forget(notice.configName);
    else configs.forgetAll();
  };
}
