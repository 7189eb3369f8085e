import type { DispatchQueue, FailedItem, HeldItems, Settled } from '../ports.js';
import { storableText } from '../storable-text.js';
import type { Binds } from './oracle-binds.js';
import type { InSession, StatementName } from './oracle-statements.js';

interface Changed {
  readonly changed: readonly string[] | null;
  readonly statuses?: readonly string[] | null;
}

type Settling = Pick<DispatchQueue, 'markDispatched' | 'returnToReady' | 'release' | 'exhaust'>;

export function createSettling(inSession: InSession, binds: Binds): Settling {
  const run = (name: StatementName, own: Parameters<typeof settle>[2]) => settle(inSession, name, own);
  const held = ({ itemType, token }: HeldItems, ids: readonly string[]) => ({
    item_type: binds.text(itemType),
    token: binds.text(token),
    item_ids: binds.texts(ids),
    changed: binds.outWords(ids.length),
  });
  const errorsOf = (failures: readonly FailedItem[]) =>
    binds.texts(failures.map(({ error }) => storableText(error)));
  return {
    async markDispatched({ items, ...claim }) {
      const ids = items.map((item) => item.itemId);
      if (ids.length === 0) return { fenced: [] };
      const { changed } = await run('mark_dispatched', {
        ...held(claim, ids),
        exec_workflow_ids: binds.texts(items.map((item) => item.execWorkflowId)),
        actions: binds.texts(items.map((item) => (item.alreadyStarted ? 'ALREADY_STARTED' : 'DISPATCHED'))),
      });
      return fencedOf(ids, changed);
    },
    async returnToReady({ failures, ...claim }) {
      const ids = failures.map((failure) => failure.itemId);
      if (ids.length === 0) return { fenced: [], returned: [], exhausted: [] };
      const { changed, statuses } = await run('return_to_ready', {
        ...held(claim, ids),
        errors: errorsOf(failures),
        statuses: binds.outWords(ids.length),
      });
      const idsIn = (status: string) => (changed ?? []).filter((_id, index) => statuses?.[index] === status);
      return { ...fencedOf(ids, changed), returned: idsIn('READY'), exhausted: idsIn('EXHAUSTED') };
    },
    async release({ itemIds, reason, ...claim }) {
      if (itemIds.length === 0) return { fenced: [] };
      const { changed } = await run('release_items', {
        ...held(claim, itemIds),
        reason: binds.text(storableText(reason)),
      });
      return fencedOf(itemIds, changed);
    },
    async exhaust({ failures, ...claim }) {
      const ids = failures.map((failure) => failure.itemId);
      if (ids.length === 0) return { fenced: [] };
      const { changed } = await run('exhaust_items', { ...held(claim, ids), errors: errorsOf(failures) });
      return fencedOf(ids, changed);
    },
  };
}

function settle(
  inSession: InSession,
  name: StatementName,
  binds: Record<string, ReturnType<Binds['text']>>,
): Promise<Changed> {
  return inSession(name, (session) => session.execute<Changed>(name, binds, { autoCommit: true }));
}

function fencedOf(asked: readonly string[], changed: readonly string[] | null): Settled {
  const done = new Set(changed ?? []);
  return { fenced: asked.filter((id) => !done.has(id)) };
}
