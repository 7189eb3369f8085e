import type { Connection, Pool } from 'oracledb';
import { QueueStoreError } from '../errors.js';
import { describeDispatchQueue } from '../testing.js';
import { newItem, newItemType } from '../testing/harness.js';
import type { QueueHarness } from '../testing/harness.js';
import { loadOracleDriver } from './oracle-driver.js';
import { createOracleQueue } from './oracle-queue.js';

const oracleUrl = process.env['ORACLE_URL'] || undefined;

if (oracleUrl === undefined) {
  process.stdout.write(
    '\nNOT RUN: the dispatch queue on Oracle; set ORACLE_URL (oracle://user:password@host:port/service) to a migrated schema\n',
  );
}

// Counted as skipped without a server: a test that did not run has not passed.
const describeOnOracle = oracleUrl === undefined ? describe.skip : describe;

function openPool(sessionCallback?: (connection: Connection) => Promise<void>): Promise<Pool> {
  const { username, password, host, pathname } = new URL(oracleUrl ?? '');
  return loadOracleDriver().createPool({
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    connectString: `${host}${pathname}`,
    poolMax: 10,
    queueTimeout: 30_000,
    ...(sessionCallback && {
      sessionCallback: (connection: Connection, _tag: string, done: (error?: Error) => void) =>
        void sessionCallback(connection).then(() => done(), done),
    }),
  });
}

/** A connection that neither commits nor goes back to its pool until the test says so. */
function withoutEnd(connection: Connection): Connection {
  return new Proxy(connection, {
    get(target, key) {
      if (key === 'commit' || key === 'close') return () => Promise.resolve();
      const value: unknown = Reflect.get(target, key);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
    set: (target, key, value) => Reflect.set(target, key, value),
  });
}

async function makeHarness(): Promise<QueueHarness & { pool: Pool }> {
  const pool = await openPool();
  const change = async (sql: string, binds: Record<string, string | number>) => {
    const connection = await pool.getConnection();
    try {
      await connection.execute(sql, binds, { autoCommit: true });
    } finally {
      await connection.close();
    }
  };
  return {
    pool,
    queue: createOracleQueue(pool),
    async passTime(itemType, minutes) {
      await change(
        `UPDATE exec_queue
            SET claimed_at = claimed_at - NUMTODSINTERVAL(:minutes, 'MINUTE'),
                retry_after = retry_after - NUMTODSINTERVAL(:minutes, 'MINUTE'),
                updated_at = updated_at - NUMTODSINTERVAL(:minutes, 'MINUTE')
          WHERE item_type = :item_type`,
        { item_type: itemType, minutes },
      );
      await change(
        `UPDATE dispatch_audit_log SET created_at = created_at - NUMTODSINTERVAL(:minutes, 'MINUTE')
          WHERE item_type = :item_type`,
        { item_type: itemType, minutes },
      );
    },
    dropContext: (itemType, itemId) =>
      change('DELETE FROM exec_context WHERE item_type = :item_type AND item_id = :item_id', {
        item_type: itemType,
        item_id: itemId,
      }),
    async claimAndHold(request) {
      const connection = await pool.getConnection();
      const held = withoutEnd(connection);
      const claim = await createOracleQueue({ getConnection: () => Promise.resolve(held) }).claim(request);
      return {
        claim,
        async commit() {
          await connection.commit();
          await connection.close();
        },
        rollBack: () => connection.close(),
      };
    },
    async inTimeZone(zone) {
      const abroad = await openPool(async (connection) => {
        await connection.execute(`ALTER SESSION SET TIME_ZONE = '${zone}'`);
      });
      return { queue: createOracleQueue(abroad), close: () => abroad.close(5) };
    },
    close: () => pool.close(5),
  };
}

describeOnOracle('on the server of ORACLE_URL', () => {
  describeDispatchQueue('Oracle', makeHarness);

  describe('the Oracle store', () => {
    let harness: Awaited<ReturnType<typeof makeHarness>>;
    beforeAll(async () => {
      harness = await makeHarness();
    });
    afterAll(() => harness.close());

    it('has packages that compile', async () => {
      const connection = await harness.pool.getConnection();
      try {
        const { rows } = await connection.execute(
          `SELECT name || ' line ' || line || ': ' || text FROM user_errors WHERE name LIKE 'DISPATCH%'`,
        );
        expect(rows).toEqual([]);
      } finally {
        await connection.close();
      }
    });

    it('tells a refusal from a store that is away', async () => {
      const refused = await harness.queue
        .enqueue([newItem('not-a-type', 'a')])
        .catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(QueueStoreError);
      expect(refused).toMatchObject({ code: 'STORE_REFUSED', retryable: false });
      const nowhere = createOracleQueue({
        getConnection: () =>
          loadOracleDriver().getConnection({
            user: 'none',
            password: 'none',
            connectString: '127.0.0.1:1/none',
          }),
      });
      await expect(nowhere.listConfigs()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    });

    it('enqueues nothing at all when one item of a call is refused', async () => {
      const itemType = await newItemType(harness);
      const items = [newItem(itemType, 'good'), newItem(itemType, 'x'.repeat(201))];
      await expect(harness.queue.enqueue(items)).rejects.toMatchObject({ code: 'STORE_REFUSED' });
      expect(await harness.queue.findItem(itemType, 'good')).toBeNull();
    });

    it('keeps contexts that are too long for a plain bind', async () => {
      const itemType = await newItemType(harness);
      const contextJson = JSON.stringify('漢'.repeat(40_000));
      await harness.queue.enqueue([newItem(itemType, 'short'), newItem(itemType, 'long', { contextJson })]);
      const { items } = await harness.queue.claim({ itemType, token: 'A', limit: 5 });
      expect(items.find((item) => item.itemId === 'long')?.contextJson).toBe(contextJson);
    });
  });
});
