import { createAddressPolicy } from './address-policy.js';
import { parseEndpointUrl } from './endpoint-url.js';

const policy = createAddressPolicy(['127.0.0.1', 'hooks.internal', '10.1.0.0/16']);
const detailOf = (url: string): string | undefined => {
  const parsed = parseEndpointUrl(url, policy);
  return parsed.kind === 'refused' ? parsed.detail : undefined;
};

describe('parseEndpointUrl', () => {
  it.each([
    'https://example.com/hook?a=b',
    'https://example.com:8443/',
    'https://93.184.216.34/',
    'https://[2606:2800:220:1::1]/',
    'http://127.0.0.1:3000/',
    'http://hooks.internal/',
    'https://10.1.2.3/',
  ])('takes %s', (url) => {
    expect(detailOf(url)).toBeUndefined();
  });

  it.each([
    ['', 'not a URL'],
    ['example.com', 'not a URL'],
    ['ftp://example.com/', 'not an https URL'],
    ['http://example.com/', 'not an https URL'],
    ['https://user@example.com/', 'credentials'],
    ['https://:secret@example.com/', 'credentials'],
    ['https://example.com/#part', 'fragment'],
    ['https://127.0.0.2/', 'private'],
    ['https://127.1/', undefined],
    ['https://2130706434/', 'private'],
    ['https://0x7f000002/', 'private'],
    ['https://0177.0.0.2/', 'private'],
    ['https://127.0.0.2./', 'private'],
    ['https://[::1]/', 'private'],
    ['https://[::ffff:7f00:2]/', 'private'],
    ['https://[64:ff9b::a00:1]/', 'private'],
    ['https://[fe80::1]/', 'private'],
    ['https://169.254.169.254/', 'private'],
    ['https://0.0.0.0/', 'private'],
    ['https://10.2.0.1/', 'private'],
  ])('judges %s: %s', (url, detail) => {
    if (detail === undefined) expect(detailOf(url)).toBeUndefined();
    else expect(detailOf(url)).toContain(detail);
  });
});
