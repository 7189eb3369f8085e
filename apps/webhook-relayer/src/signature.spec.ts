import { secretKey } from './secret.js';
import { legacySignatures, standardSignature, webhookId } from './signature.js';

// The example of the Standard Webhooks specification and of its reference libraries.
const published = {
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  timestampSeconds: 1614265330,
  body: Buffer.from('{"test": 2432232314}'),
  signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
};

// The values below that nobody published are from openssl dgst -sha256 -mac HMAC.
const other = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

function keyOf(secret: string): Buffer {
  const key = secretKey(secret);
  if (key === undefined) throw new Error('not a secret');
  return key;
}

describe('test 11: signature vectors', () => {
  it('the one that Standard Webhooks publishes is signed alike', () => {
    const { id, timestampSeconds, body, secret, signature } = published;
    const keys = [keyOf(secret)];
    expect(standardSignature({ webhookId: id, timestampSeconds, body, keys })).toBe(signature);
  });

  it('two keys give two signatures with a blank between, the newest first', () => {
    const { id, timestampSeconds, body, secret, signature } = published;
    const keys = [keyOf(other), keyOf(secret)];
    expect(standardSignature({ webhookId: id, timestampSeconds, body, keys })).toBe(
      `v1,YO/ulmd+VFtlnbodv7yLOOsS6RlBZ48h++gXZrGOpZo= ${signature}`,
    );
  });

  it('the older form is the HMAC of the body, keyed with the text of the secret', () => {
    const { body, secret } = published;
    expect(legacySignatures(body, [keyOf(secret)])).toEqual({
      'x-signature': '80ec8a89ce3cd22133a1066caecb4d04fea7467657c8514d717ec42c38a5c94c',
    });
  });

  it('the older form stays with the old secret while it is valid, and shows what will follow', () => {
    const { body, secret } = published;
    const before = legacySignatures(body, [keyOf(secret)]);
    const during = legacySignatures(body, [keyOf(other), keyOf(secret)]);
    const after = legacySignatures(body, [keyOf(other)]);
    expect(during['x-signature']).toBe(before['x-signature']);
    expect(during['x-signature-next']).toBe(after['x-signature']);
    expect(after).not.toHaveProperty('x-signature-next');
    expect(after['x-signature']).not.toBe(before['x-signature']);
  });
});

describe('webhookId', () => {
  it('has no full stop, and two events never share one', () => {
    expect(webhookId('evt-p.1-payment.accepted')).toBe('evt-p%2E1-payment%2Eaccepted');
    expect(webhookId('evt-p1')).toBe('evt-p1');
  });
});
