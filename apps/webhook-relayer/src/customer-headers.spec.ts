import { customerHeaders, withoutReserved } from './customer-headers.js';

describe('customerHeaders', () => {
  it('takes headers of the customer, with their names in small letters', () => {
    expect(customerHeaders.parse({ Authorization: 'Bearer x', 'X-Shop': '1' })).toEqual({
      authorization: 'Bearer x',
      'x-shop': '1',
    });
  });

  it.each([
    'Host',
    'content-length',
    'Content-Type',
    'content-encoding',
    'transfer-encoding',
    'connection',
    'expect',
    'user-agent',
    'accept-encoding',
    'webhook-id',
    'Webhook-Signature',
    'webhook-replay',
    'x-signature',
    'x-signature-next',
    'x-forwarded-for',
    ':authority',
    'a b',
    'a:b',
    'ä',
    '',
    'a'.repeat(65),
  ])('refuses the name %j', (name) => {
    expect(customerHeaders.safeParse({ [name]: 'x' }).success).toBe(false);
  });

  it.each(['a\r\nhost: b', 'a\0', 'ä', 'x'.repeat(1_025)])('refuses the value %j', (value) => {
    expect(customerHeaders.safeParse({ 'x-shop': value }).success).toBe(false);
  });

  it('refuses more than 20', () => {
    const many = Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`x-${at}`, '']));
    expect(customerHeaders.safeParse(many).success).toBe(false);
  });
});

describe('withoutReserved', () => {
  it('lets through only what could be stored today', () => {
    const stored = { authorization: 'x', host: 'evil', 'Webhook-Id': '1', 'x-a': 'a\r\nb', 'x-b': 'b' };
    expect(withoutReserved(stored)).toEqual({ authorization: 'x', 'x-b': 'b' });
  });
});
