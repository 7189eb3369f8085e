import { randomBytes } from 'node:crypto';
import { createLogger } from '@sluice/service-kit';
import { Registry } from 'prom-client';
import { Webhook } from 'standardwebhooks';
import { createDeliver } from './deliver.js';
import type { DeliverParts } from './deliver.js';
import type {
  AttemptReport,
  ClaimedDelivery,
  SendResult,
  SettledClaim,
  WebhookSender,
} from './delivery-ports.js';
import type { PermitUse } from './guards.js';
import { createMetrics } from './metrics.js';
import { createSecretBox } from './secret-box.js';
import { createSigner } from './sign-request.js';

const secretBytes = Buffer.alloc(32, 9);
const secrets = createSecretBox({ current: Buffer.alloc(32, 1) }, randomBytes);
const clock = { now: () => new Date() };
const never = new AbortController().signal;
const permit = { subscriptionId: 'sub_1', token: 'permit' };

const claim: ClaimedDelivery = {
  id: '1',
  token: 'token',
  tenantId: 'default',
  attemptNo: 1,
  maxAttempts: 5,
  replayNo: 0,
  eventId: 'evt-1',
  eventType: 'a.b',
  receivedAt: new Date(),
  lagMs: 0,
  body: Buffer.from('{"a":1.10}'),
  endpoint: {
    subscriptionId: 'sub_1',
    url: 'https://example.com/hooks',
    customHeaders: { authorization: 'Bearer theirs' },
    signatureForm: 'standard',
    retryProfile: 'default',
    sealedSecrets: [secrets.seal(secretBytes, 'sub_1')],
    limits: { maxConcurrency: 1, ratePerSecond: 1 },
  },
};

/** Everything that a delivery does, on paper. */
function createHarness(result: SendResult | Error, changes: Partial<DeliverParts> = {}) {
  const settled: SettledClaim[] = [];
  const deferred: { reason: string; delayMs: number }[] = [];
  const uses: PermitUse[] = [];
  const reports: AttemptReport[] = [];
  const requests: Parameters<WebhookSender['send']>[0][] = [];
  const metrics = createMetrics(new Registry());
  const deliver = createDeliver({
    queue: { defer: async (deferrals) => void deferred.push(...deferrals) },
    guards: { settle: async (_permit, use) => void uses.push(use) },
    sender: {
      async send(request) {
        requests.push(request);
        if (result instanceof Error) throw result;
        return result;
      },
    },
    sign: createSigner({ secrets, clock }),
    async write(one) {
      settled.push(one);
      return 'recorded';
    },
    reportHealth: (report) => void reports.push(report),
    clock,
    random: () => 0.5,
    metrics,
    log: createLogger({ service: 'test', level: 'silent' }),
    ...changes,
  });
  return { deliver, settled, deferred, uses, reports, requests, metrics };
}

const answered = (status: number): SendResult => ({ kind: 'response', status, body: '', durationMs: 5 });

describe('deliver', () => {
  it('sends the very bytes, signed, gives the permit back and settles the outcome', async () => {
    const { deliver, settled, requests, uses, reports } = createHarness(answered(200));
    await deliver(claim, permit, never);
    const [request] = requests;
    expect(request?.body).toBe(claim.body);
    const secret = `whsec_${secretBytes.toString('base64')}`;
    expect(new Webhook(secret).verify(claim.body, request?.headers ?? {})).toEqual({ a: 1.1 });
    expect(settled).toMatchObject([{ settlement: { outcome: 'delivered' } }]);
    expect(uses).toEqual(['success']);
    expect(reports).toMatchObject([{ subscriptionId: 'sub_1', kind: 'delivered', statusCode: 200 }]);
  });

  it.each([
    [500, 'failure', 'retried'],
    [404, 'success', 'failed'],
  ] as const)(
    'tells the guards and the health of the subscription apart after %i',
    async (status, use, kind) => {
      const { deliver, uses, reports } = createHarness(answered(status));
      await deliver(claim, permit, never);
      expect(uses).toEqual([use]);
      expect(reports).toMatchObject([{ kind, errorCode: `HTTP_${status}` }]);
    },
  );

  it('sends headers of the customer, but none in the place of ours', async () => {
    const customHeaders = {
      authorization: 'Bearer theirs',
      'webhook-id': 'forged',
      'content-type': 'text/plain',
      'content-length': '0',
      host: 'internal',
    };
    const { deliver, requests } = createHarness(answered(200));
    await deliver({ ...claim, endpoint: { ...claim.endpoint, customHeaders } }, permit, never);
    expect(requests[0]?.headers).toMatchObject({
      authorization: 'Bearer theirs',
      'webhook-id': 'evt-1',
      'content-type': 'application/json',
    });
    expect(Object.keys(requests[0]?.headers ?? {})).not.toContain('host');
    expect(Object.keys(requests[0]?.headers ?? {})).not.toContain('content-length');
  });

  it('uses no attempt when the fault is ours: an unreadable secret, a subscription deleted meanwhile', async () => {
    const { deliver, deferred, requests, uses } = createHarness(answered(200));
    const foreign = [secrets.seal(secretBytes, 'sub_2')];
    await deliver({ ...claim, endpoint: { ...claim.endpoint, sealedSecrets: foreign } }, permit, never);
    await deliver({ ...claim, endpoint: { ...claim.endpoint, sealedSecrets: [] } }, permit, never);
    expect(deferred.map(({ reason }) => reason)).toEqual(['SECRET_UNREADABLE', 'SUBSCRIPTION_ENDED']);
    expect(uses).toEqual(['unused', 'unused']);
    expect(requests).toEqual([]);
  });

  it('says nothing about an endpoint whose request our own shutdown interrupted', async () => {
    const { deliver, uses, reports, settled } = createHarness({ kind: 'interrupted', durationMs: 1 });
    await deliver(claim, permit, never);
    expect([uses, reports]).toEqual([['neutral'], []]);
    expect(settled).toMatchObject([{ settlement: { outcome: 'interrupted', attemptsBack: 1 } }]);
  });

  it('counts an outcome that could not be written, and one that came too late', async () => {
    const lost = createHarness(answered(200), { write: () => Promise.reject(new Error('away')) });
    await lost.deliver(claim, permit, never);
    expect((await lost.metrics.unrecorded.get()).values[0]?.value).toBe(1);
    const late = createHarness(answered(200), { write: () => Promise.resolve('late') });
    await late.deliver(claim, permit, never);
    expect((await late.metrics.late.get()).values[0]?.value).toBe(1);
  });

  it('gives the permit back when a send throws', async () => {
    const { deliver, uses } = createHarness(new Error('broken'));
    await expect(deliver(claim, permit, never)).rejects.toThrow('broken');
    expect(uses).toEqual(['neutral']);
  });
});
