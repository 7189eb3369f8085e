// Before the first integration spec: one real stack for the whole run, on free ports beside whatever else runs here.
import { randomBytes } from 'node:crypto';
import { access, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { LocalStackError } from '../errors.js';
import { createReporter } from '../reporting/reporter.js';
import { startServers } from '../servers/start-servers.js';
import type { Stack } from '../servers/start-servers.js';
import { waitUntilReady } from '../servers/wait-until-ready.js';
import { createDatabase, urlOfDatabase } from './databases.js';
import { removeKeptRuns } from './kept-run.js';
import { migrateAll } from '../services/migrate-all.js';
import { runningTests } from './running-tests.js';
import { testRunVariable } from './test-run.js';
import type { TestRun } from './test-run.js';

const repository = join(__dirname, '..', '..', '..', '..');
const simulatorAnswersWithinMs = 20_000;

export default async function globalSetup(): Promise<void> {
  await removeKeptRuns();
  const reporter = createReporter(process.stderr, process.env);
  const stack = await startServers({ portBase: 'free', durable: false, reporter, environment: process.env });
  try {
    const run = await prepareRun(stack);
    runningTests.set({ stack, run });
    process.env[testRunVariable] = JSON.stringify(run);
    reporter.step('Test run', 'ready', `logs in ${stack.logFolder}`);
  } catch (error) {
    await stack.stop();
    throw error;
  } finally {
    reporter.close();
  }
}

async function prepareRun(stack: Stack): Promise<TestRun> {
  const id = randomBytes(3).toString('hex');
  const template = `sluice_template_${id}`;
  const keptFolder = join(stack.folder, 'kept');
  await mkdir(keptFolder);
  const [railUrl, sinkUrl] = await Promise.all([
    startSimulator(stack, 'rail-simulator', stack.ports.railSimulator),
    startSimulator(stack, 'webhook-sink', stack.ports.webhookSink),
    createDatabase(stack.addresses.pgUrl, template).then(() =>
      migrateAll(repository, urlOfDatabase(stack.addresses.pgUrl, template)),
    ),
  ]);
  return { id, template, ...stack.addresses, railUrl, sinkUrl, keptFolder };
}

async function startSimulator(stack: Stack, name: string, port: number): Promise<string> {
  const program = join(__dirname, '..', '..', 'dist', name, 'main.js');
  await access(program).catch(() => {
    throw new LocalStackError(
      'NOT_BUILT',
      `${program} is not there: run \`npx nx build local\` (or \`npm run build\`) first.`,
    );
  });
  const url = `http://127.0.0.1:${port}`;
  const simulator = stack.spawnOwned({
    name,
    command: process.execPath,
    args: [program],
    env: { PORT: String(port), LEDGER_FILE: join(stack.folder, `${name}.ndjson`) },
  });
  await waitUntilReady({
    title: name,
    process: simulator,
    withinMs: simulatorAnswersWithinMs,
    probe: async () => {
      const answer = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(2_000) });
      if (!answer.ok) throw new Error(`GET /healthz answered ${answer.status}`);
    },
  });
  return url;
}
