import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { createSecretBox, SecretUnreadableError } from './secret-box.js';
import { generateSecret, secretKey } from './secret.js';
import { createSigner } from './sign-request.js';
import type { UnsignedRequest } from './sign-request.js';

const secrets = createSecretBox({ current: randomBytes(32) }, randomBytes);
const oldSecret = generateSecret(randomBytes);
const newSecret = generateSecret(randomBytes);
const seal = (secret: string, owner = 'sub_1'): Buffer =>
  secrets.seal(secretKey(secret) ?? Buffer.alloc(0), owner);

const request: UnsignedRequest = {
  subscriptionId: 'sub_1',
  eventId: 'evt-p.1-payment.accepted',
  body: Buffer.from('{"name":"Grüße 🚰","amount":1.10,"big":9007199254740993}'),
  form: 'standard',
  sealedSecrets: [seal(oldSecret)],
  replays: 0,
};

const signAt = (now: Date) => createSigner({ secrets, clock: { now: () => now } });
const sign = signAt(new Date());

describe('test 11: signatures checked with the public library', () => {
  it('verify over bytes that are not plain ASCII, and not over others', () => {
    const headers = sign(request);
    expect(new Webhook(oldSecret).verify(request.body, headers)).toMatchObject({ name: 'Grüße 🚰' });
    const rewritten = JSON.stringify(JSON.parse(request.body.toString()));
    expect(() => new Webhook(oldSecret).verify(rewritten, headers)).toThrow('No matching signature');
    expect(() => new Webhook(newSecret).verify(request.body, headers)).toThrow('No matching signature');
  });

  it('verify with either secret while they are rotated, and with the new one alone afterwards', () => {
    const during = sign({ ...request, sealedSecrets: [seal(newSecret), seal(oldSecret)] });
    for (const secret of [oldSecret, newSecret]) new Webhook(secret).verify(request.body, during);
    const after = sign({ ...request, sealedSecrets: [seal(newSecret)] });
    new Webhook(newSecret).verify(request.body, after);
    expect(() => new Webhook(oldSecret).verify(request.body, after)).toThrow('No matching signature');
  });

  it('are of the time of the attempt, with the id that never changes', () => {
    const first = signAt(new Date('2025-06-01T16:00:00.999Z'))(request);
    const second = signAt(new Date('2025-06-01T16:00:05Z'))(request);
    expect(first['webhook-timestamp']).toBe('1748793600');
    expect(second['webhook-timestamp']).toBe('1748793605');
    expect(second['webhook-id']).toBe(first['webhook-id']);
    expect(second['webhook-signature']).not.toBe(first['webhook-signature']);
  });

  it('verify beside the older form, which only those get who ask for it', () => {
    const headers = sign({ ...request, form: 'standard_and_legacy' });
    new Webhook(oldSecret).verify(request.body, headers);
    expect(headers['x-signature']).toMatch(/^[0-9a-f]{64}$/);
    expect(sign(request)).not.toHaveProperty('x-signature');
  });
});

describe('createSigner', () => {
  it('marks a replay and leaves its id alone', () => {
    const replayed = sign({ ...request, replays: 2 });
    expect(replayed).toMatchObject({ 'webhook-replay': '2', 'webhook-id': sign(request)['webhook-id'] });
    expect(sign(request)).not.toHaveProperty('webhook-replay');
  });

  it('signs with no secret that belongs to another subscription', () => {
    const stolen = { ...request, sealedSecrets: [seal(oldSecret, 'sub_2')] };
    expect(() => sign(stolen)).toThrow(SecretUnreadableError);
  });
});
