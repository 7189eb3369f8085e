import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Registry } from 'prom-client';
import { createLogger } from '@sluice/service-kit';
import { createApi, createApiKey, createKeyRing } from '@sluice/service-kit/http';
import { instructionEntry } from '../outbox-entries.js';
import { createBench } from '../testing/bench.js';
import type { Bench } from '../testing/bench.js';
import { contextFor } from '../testing/contexts.js';
import { createRoutes } from './routes.js';

const testName = process.env['TEST_NAME'] ?? 'alone';
const reader = createApiKey('reader');
const stranger = createApiKey('stranger');
let bench: Bench;
let server: Server;

beforeAll(async () => {
  bench = createBench(process.env['PG_URL'] ?? '');
  const keys = createKeyRing(
    [
      { ...reader.entry, scopes: ['outbox:read'] },
      { ...stranger.entry, scopes: ['payments:read'] },
    ],
    'production',
  );
  const log = createLogger({ service: 'exec-worker', level: 'silent' });
  const routes = createRoutes(bench.outbox);
  server = createServer(createApi({ name: 'exec-worker', log, registry: new Registry(), keys, routes }));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await bench.close();
});

async function look(instructionId: string, key = reader.key) {
  const { port } = server.address() as AddressInfo;
  const answer = await fetch(`http://127.0.0.1:${port}/api/v1/instructions/${instructionId}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  return { status: answer.status, body: await answer.json() };
}

it('shows an instruction and its attempts, without the account', async () => {
  const entry = instructionEntry(contextFor(`${testName}-shown`));
  await bench.outbox.enqueue(bench.pool, [entry]);
  const { status, body } = await look(entry.instructionId);
  expect(status).toBe(200);
  expect(body).toMatchObject({
    instructionId: entry.instructionId,
    railType: 'SEPA',
    state: 'PENDING',
    attempts: [],
  });
  expect(JSON.stringify(body)).not.toContain('DE8937');
});

it('knows nothing of an instruction that never was', async () => {
  expect(await look('ins-nobody')).toMatchObject({ status: 404, body: { code: 'INSTRUCTION_NOT_FOUND' } });
});

it('lets only readers of the outbox look', async () => {
  expect(await look('ins-nobody', stranger.key)).toMatchObject({ status: 403 });
  expect(await look('ins-nobody', 'slk_reader_wrong')).toMatchObject({ status: 401 });
});
