import type { Pool } from 'oracledb';
import { describeSlotStore } from '../testing.js';
import { describeSlotProperties } from '../testing/describe-slot-properties.js';
import type { SlotStoreHarness } from '../testing/harness.js';
import { createOracleRateConfigStore } from './oracle-config-store.js';
import { loadOracleDriver } from './oracle-driver.js';
import { createOracleSlotStore } from './oracle-slot-store.js';

const oracleUrl = process.env['ORACLE_URL'] || undefined;

if (oracleUrl === undefined) {
  process.stdout.write(
    '\nNOT RUN: the slots on Oracle; set ORACLE_URL (oracle://user:password@host:port/service) to a migrated schema\n',
  );
}

// Counted as skipped without a server: a test that did not run has not passed.
const describeOnOracle = oracleUrl === undefined ? describe.skip : describe;

async function makeHarness(): Promise<SlotStoreHarness> {
  const { username, password, host, pathname } = new URL(oracleUrl ?? '');
  const pool: Pool = await loadOracleDriver().createPool({
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    connectString: `${host}${pathname}`,
    poolMax: 10,
    queueTimeout: 30_000,
  });
  return {
    open: (clock) => {
      const options = clock === undefined ? {} : { clock };
      return { ...createOracleSlotStore(pool, options), ...createOracleRateConfigStore(pool, options) };
    },
    close: () => pool.close(0),
  };
}

describeOnOracle('slots in Oracle', () => {
  describeSlotStore(makeHarness);
});

describeOnOracle('slots in Oracle, with several nodes', () => {
  let harness: SlotStoreHarness | undefined;
  beforeAll(async () => {
    harness = await makeHarness();
  });
  afterAll(() => harness?.close());
  describeSlotProperties(
    () => {
      if (harness === undefined) throw new Error('the harness is made before the first test');
      return harness;
    },
    { runs: 10 },
  );
});
