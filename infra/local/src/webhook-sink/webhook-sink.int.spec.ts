import { join } from 'node:path';
import { control, createBench, ledgerOf } from '../ledger/testing.js';
import type { Bench, RunningSimulator } from '../ledger/testing.js';
import type { SinkLedgerLine } from './sink.js';

describe('webhook sink', () => {
  let bench: Bench;
  let sink: RunningSimulator;
  let file: string;

  beforeAll(async () => {
    bench = await createBench();
    file = join(bench.folder, 'sink.ndjson');
    sink = await bench.start('webhook-sink', file);
  });
  afterEach(() => fetch(`${sink.url}/control/behaviours`, { method: 'DELETE' }));
  afterAll(() => bench.clear());

  function post(path: string, body = '{}', init: RequestInit = {}) {
    return fetch(sink.url + path, { method: 'POST', body, signal: AbortSignal.timeout(10_000), ...init });
  }
  const lines = (path: string) => ledgerOf<SinkLedgerLine>(sink.url, `?path=${path}`);
  const tell = async (...behaviours: unknown[]) => {
    expect((await control(sink.url, 'behaviours', behaviours)).status).toBe(200);
  };

  it('answers 200 and records path, headers and the very text of the body', async () => {
    const body = '{ "id":"evt-1",\n "amount": "12,50 €" }';
    const answer = await post('/hooks/plain/deep', body, { headers: { 'Webhook-Id': 'msg_1' } });
    expect(answer.status).toBe(200);
    const [line] = await lines('/hooks/plain');
    expect(line).toMatchObject({ path: '/hooks/plain/deep', body, status: 200 });
    expect(line?.headers).toMatchObject({
      'webhook-id': 'msg_1',
      'content-length': String(Buffer.byteLength(body)),
    });
    expect(Date.now() - Date.parse(line?.at ?? '')).toBeLessThan(60_000);
  });

  it.each([202, 204, 400, 410, 500, 503])('answers %i when told to, and records it', async (status) => {
    await tell({ path: `/hooks/status-${status}`, status });
    expect((await post(`/hooks/status-${status}`)).status).toBe(status);
    expect(await lines(`/hooks/status-${status}`)).toMatchObject([{ status }]);
  });

  it('answers 429 with Retry-After as often as told, then 200', async () => {
    await tell({ path: '/hooks/busy', status: 429, retryAfterSeconds: 7, body: 'later', times: 2 });
    const answers = [await post('/hooks/busy'), await post('/hooks/busy'), await post('/hooks/busy')];
    expect(answers.map(({ status }) => status)).toEqual([429, 429, 200]);
    expect(answers.map(({ headers }) => headers.get('retry-after'))).toEqual(['7', '7', null]);
    expect(await answers[0]?.text()).toBe('later');
    expect((await lines('/hooks/busy')).map(({ status }) => status)).toEqual([429, 429, 200]);
  });

  it('answers slowly, having recorded the request at once', async () => {
    await tell({ path: '/hooks/slow', delayMs: 500 });
    const began = performance.now();
    expect((await post('/hooks/slow')).status).toBe(200);
    expect(performance.now() - began).toBeGreaterThanOrEqual(490);
    await expect(post('/hooks/slow', '{}', { signal: AbortSignal.timeout(200) })).rejects.toThrow('timeout');
    expect(await lines('/hooks/slow')).toHaveLength(2);
  });

  it('does not answer at all, and records that with the status null', async () => {
    await tell({ path: '/hooks/silent', silent: true, times: 1 });
    await expect(post('/hooks/silent', '{}', { signal: AbortSignal.timeout(300) })).rejects.toThrow(
      'timeout',
    );
    expect((await post('/hooks/silent')).status).toBe(200);
    expect((await lines('/hooks/silent')).map(({ status }) => status)).toEqual([null, 200]);
  });

  it('goes by the longest path', async () => {
    await tell({ path: '/hooks/long', status: 500 }, { path: '/hooks/long/er', status: 410 });
    const statuses = ['/hooks/long/er/est', '/hooks/long/x', '/hooks/longer'].map(
      async (path) => (await post(path)).status,
    );
    expect(await Promise.all(statuses)).toEqual([410, 500, 200]);
    expect(await lines('/hooks/long')).toHaveLength(2);
  });

  it('refuses wrong behaviours, wrong ledger paths and requests beside /hooks', async () => {
    const refused = await control(sink.url, 'behaviours', [{ path: '/other', status: 42 }]);
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({
      code: 'INVALID_CONTROL',
      detail: expect.stringMatching(/0\.path: begins with \/hooks; 0\.status/) as string,
    });
    expect((await fetch(`${sink.url}/ledger?path=other`)).status).toBe(400);
    expect((await post('/other')).status).toBe(404);
    expect((await fetch(`${sink.url}/hooks/get`)).status).toBe(404);
    expect((await post('/control/behaviours')).status).toBe(405);
  });

  it('has every answered request in its ledger after a kill', async () => {
    const answers = await Promise.all(Array.from({ length: 100 }, (_, n) => post(`/hooks/kill/${n}`)));
    expect(answers.every(({ ok }) => ok)).toBe(true);
    await sink.end('SIGKILL');
    sink = await bench.start('webhook-sink', file);
    expect(await lines('/hooks/kill')).toHaveLength(100);
  });

  it('stops on SIGTERM while a sender waits', async () => {
    await tell({ path: '/hooks/stop', silent: true });
    const dropped = expect(post('/hooks/stop')).rejects.toThrow('fetch failed');
    await post('/hooks/other');
    expect(await sink.end('SIGTERM')).toBe(0);
    await dropped;
    sink = await bench.start('webhook-sink', file);
  });
});
