import { Webhook } from 'standardwebhooks';
import { secretKey } from './secret.js';
import { signatureHeaders, webhookId } from './signature.js';

// The example of the Standard Webhooks specification and of its reference libraries.
const vector = {
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  timestampSeconds: 1614265330,
  body: Buffer.from('{"test": 2432232314}'),
  signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
};

function keyOf(secret: string): Buffer {
  const key = secretKey(secret);
  if (key === undefined) throw new Error('not a secret');
  return key;
}

describe('signatureHeaders', () => {
  it('signs the published test vector', () => {
    const { id, timestampSeconds, body, secret, signature } = vector;
    expect(signatureHeaders({ eventId: id, timestampSeconds, body, keys: [keyOf(secret)] })).toEqual({
      'webhook-id': id,
      'webhook-timestamp': '1614265330',
      'webhook-signature': signature,
    });
  });

  it('is verified by the public library, also with bytes that are not plain ASCII', () => {
    const body = Buffer.from('{"name":"Grüße 🚰","amount":1.10}');
    const timestampSeconds = Math.floor(Date.now() / 1_000);
    const eventId = 'evt-p.1-payment.accepted';
    const headers = signatureHeaders({ eventId, timestampSeconds, body, keys: [keyOf(vector.secret)] });
    expect(new Webhook(vector.secret).verify(body, headers)).toEqual({ name: 'Grüße 🚰', amount: 1.1 });
    expect(() => new Webhook(vector.secret).verify('{"name":"other"}', headers)).toThrow(
      'No matching signature',
    );
  });

  it('signs with every key, so that either secret verifies while they are rotated', () => {
    const other = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    const timestampSeconds = Math.floor(Date.now() / 1_000);
    const keys = [keyOf(vector.secret), keyOf(other)];
    const headers = signatureHeaders({ eventId: 'e', timestampSeconds, body: vector.body, keys });
    for (const secret of [vector.secret, other]) new Webhook(secret).verify(vector.body, headers);
  });
});

describe('webhookId', () => {
  it('has no full stop, and two events never share one', () => {
    expect(webhookId('evt-p.1-payment.accepted')).toBe('evt-p%2E1-payment%2Eaccepted');
    expect(webhookId('evt-p1')).toBe('evt-p1');
  });
});
