import { Writable } from 'node:stream';
import { createLogger } from '@sluice/service-kit';
import { startRelayer } from './testing/relayer.js';
import type { Relayer } from './testing/relayer.js';
import { createScene } from './testing/scene.js';

const name = process.env.TEST_NAME ?? 'test';
let logged = '';
let relayer: Relayer;
const { subscribe, post, finished } = createScene(() => relayer, name);

beforeAll(async () => {
  const destination = new Writable({
    write(chunk: Buffer, _encoding, done) {
      logged += chunk.toString();
      done();
    },
  });
  relayer = await startRelayer({ name, log: createLogger({ service: 'test', level: 'trace', destination }) });
});
afterAll(() => relayer.close());

/** In the forms in which a careless line could show it. */
function spellings(secret: string): string[] {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  return [
    secret.slice('whsec_'.length),
    key.toString('hex'),
    key.toString('latin1'),
    key.toString('base64url'),
  ];
}

async function everythingStored(): Promise<string> {
  const { rows: tables } = await relayer.outside.pool.query<{ table_name: string }>(
    `SELECT table_name FROM information_schema.tables
     WHERE table_schema = 'public' AND (table_name LIKE 'webhook%' OR table_name LIKE 'payment_outbox%')`,
  );
  expect(tables.length).toBeGreaterThan(8);
  let text = '';
  for (const { table_name } of tables) {
    const { rows } = await relayer.outside.pool.query<{ row: string }>(
      `SELECT one::text AS row FROM ${table_name} one`,
    );
    text += rows.map(({ row }) => row).join('\n');
  }
  return text;
}

describe('a secret', () => {
  it('is in the answer that made it, and in no other answer, log line or row', async () => {
    const token = `token-${'t'.repeat(20)}`;
    const failing = await subscribe({
      headers: { 'X-Api-Token': token },
      signatureForm: 'standard_and_legacy',
    });
    await failing.hook.behave({ status: 500, times: 1 }, { status: 404 });
    const path = `/subscriptions/${failing.id}`;
    const { body: rotated } = await relayer.call(`POST ${path}/rotate-secret`, { overlapSeconds: 3_600 });
    const secrets = [failing.secret, String(rotated['secret'])];
    const eventId = await post({ type: failing.type });
    await finished(eventId);

    const { body: delivery } = await relayer.call(`GET /deliveries?eventId=${eventId}`);
    const deliveryId = (delivery['deliveries'] as { id: string }[])[0]?.id;
    const requests: [string, object?][] = [
      ['GET /subscriptions?limit=200'],
      [`GET ${path}`],
      [`GET ${path}/health`],
      [`PATCH ${path}`, { description: 'changed' }],
      [`POST ${path}/pause`, {}],
      [`POST ${path}/resume`],
      ['GET /deliveries'],
      [`GET /events/${eventId}`],
      [`GET /events/${eventId}/attempts`],
      [`POST /deliveries/${deliveryId}/replay`, {}],
      // A secret that is refused is not shown to whoever reads the answer or the log, either.
      [`POST ${path}/rotate-secret`, { secret: `${secrets[0]}x` }],
      [`POST ${path}/rotate-secret`, { secret: `${secrets[0]}${'x'.repeat(200)}` }],
      ['POST /subscriptions', { url: 'https://10.0.0.1/', eventTypes: ['*'], secret: secrets[1] }],
    ];
    let answered = '';
    for (const [request, content] of requests) {
      answered += JSON.stringify((await relayer.call(request, content)).body);
    }
    await finished(eventId);
    await relayer.call(`DELETE ${path}`);

    expect(logged).toContain('delivery');
    const stored = await everythingStored();
    expect(stored).toContain(failing.id);
    for (const secret of secrets) {
      for (const spelling of spellings(secret)) {
        expect(answered.includes(spelling)).toBe(false);
        expect(logged.includes(spelling)).toBe(false);
        expect(stored.includes(spelling)).toBe(false);
      }
    }
    // The customer's own token is needed as it is to be sent; it is not shown, not logged, and wiped at the end.
    for (const text of [answered, logged, stored]) expect(text.includes(token)).toBe(false);
  });
});
