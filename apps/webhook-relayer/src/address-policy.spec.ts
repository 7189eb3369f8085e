import fc from 'fast-check';
import { createAddressPolicy } from './address-policy.js';
import { parseEndpointUrl } from './endpoint-url.js';

const strict = createAddressPolicy([]);

describe('createAddressPolicy', () => {
  it.each([
    '8.8.8.8',
    '93.184.215.14',
    '1.1.1.1',
    '2606:4700::1111',
    '2a00:1450:4001::200e',
    '64:ff9b::808:808',
  ])('permits the public address %s', (address) => expect(strict.permits(address, 'example.com')).toBe(true));

  it.each([
    ['this network', '0.0.0.0'],
    ['this network', '0.1.2.3'],
    ['private', '10.0.0.1'],
    ['private', '172.16.0.1'],
    ['private', '172.31.255.255'],
    ['private', '192.168.1.1'],
    ['shared by carriers', '100.64.0.1'],
    ['loopback', '127.0.0.1'],
    ['loopback', '127.255.255.254'],
    ['cloud metadata', '169.254.169.254'],
    ['cloud metadata over IPv6', 'fd00:ec2::254'],
    ['protocol assignments', '192.0.0.192'],
    ['documentation', '192.0.2.1'],
    ['6to4 relay', '192.88.99.1'],
    ['benchmarks', '198.18.0.1'],
    ['documentation', '198.51.100.1'],
    ['documentation', '203.0.113.1'],
    ['multicast', '224.0.0.1'],
    ['class E', '240.0.0.1'],
    ['broadcast', '255.255.255.255'],
    ['unspecified', '::'],
    ['loopback', '::1'],
    ['mapped loopback', '::ffff:127.0.0.1'],
    ['mapped private', '::ffff:a00:1'],
    ['mapped public', '::ffff:8.8.8.8'],
    ['compatible loopback', '::7f00:1'],
    ['translated', '::ffff:0:7f00:1'],
    ['NAT64 of a private address', '64:ff9b::a00:1'],
    ['NAT64 of cloud metadata', '64:ff9b::a9fe:a9fe'],
    ['local NAT64', '64:ff9b:1::808:808'],
    ['discard', '100::1'],
    ['Teredo', '2001::1'],
    ['ORCHID', '2001:20::1'],
    ['documentation', '2001:db8::1'],
    ['documentation', '3fff::1'],
    ['6to4 of a private address', '2002:a00:1::'],
    ['segment routing', '5f00::1'],
    ['not given out', '4000::1'],
    ['unique local', 'fc00::1'],
    ['link-local', 'fe80::1'],
    ['link-local with a zone', 'fe80::1%eth0'],
    ['site-local', 'fec0::1'],
    ['multicast', 'ff02::1'],
    ['no address', 'example.com'],
    ['nothing', ''],
  ])('refuses %s: %s', (_what, address) => {
    expect(strict.permits(address, 'example.com')).toBe(false);
  });

  it('refuses every spelling of a private IPv4 address inside an IPv6 address', () => {
    const octets = fc.uint8Array({ minLength: 3, maxLength: 3 });
    const prefixes = fc.constantFrom('::', '::ffff:', '::ffff:0:', '64:ff9b::', '64:ff9b:1::');
    fc.assert(
      fc.property(prefixes, octets, (prefix, rest) => {
        const bytes = Buffer.from([10, ...rest]);
        const hex = [bytes.readUInt16BE(0), bytes.readUInt16BE(2)].map((word) => word.toString(16)).join(':');
        return !strict.permits(prefix + hex, 'example.com');
      }),
    );
  });

  it('lets through what is allowed by name, by address and by range, and only that', () => {
    const policy = createAddressPolicy(['Sink.Internal', '127.0.0.1', '10.1.0.0/16', 'fd12::/16']);
    expect(policy.permits('192.168.0.9', 'sink.internal')).toBe(true);
    expect(policy.permits('192.168.0.9', 'sink.internal.')).toBe(true);
    expect(policy.permits('127.0.0.1', 'anything.example')).toBe(true);
    expect(policy.permits('10.1.200.3', 'anything.example')).toBe(true);
    expect(policy.permits('fd12:3::4', 'anything.example')).toBe(true);
    expect(policy.permits('10.2.0.1', 'anything.example')).toBe(false);
    expect(policy.permits('192.168.0.9', 'evil.sink.internal')).toBe(false);
    expect(policy.permits('127.0.0.2', '127.0.0.2')).toBe(false);
  });
});

describe('parseEndpointUrl', () => {
  const policy = createAddressPolicy(['127.0.0.1', 'sink.internal', '10.1.0.0/16']);
  const kindOf = (url: string) => parseEndpointUrl(url, policy).kind;

  it.each([
    'https://example.com/hooks?x=1',
    'https://example.com:8443/',
    'http://127.0.0.1:4000/hooks/a',
    'http://sink.internal/hooks',
    'http://10.1.2.3/',
    'http://2130706433/', // the URL parser reads it as 127.0.0.1, which is allowed here
  ])('takes %s', (url) => {
    expect(kindOf(url)).toBe('url');
  });

  it.each([
    'nonsense',
    'ftp://example.com/',
    'http://example.com/',
    'https://user:secret@example.com/',
    'https://example.com/#part',
    'https://192.168.0.1/',
    'https://[::1]/',
    'https://[::ffff:192.168.0.1]/',
    'https://0xc0a80001/',
    'https://0300.0250.0.1/',
    'https://169.254.169.254/latest/meta-data/',
  ])('refuses %s', (url) => {
    expect(kindOf(url)).toBe('refused');
  });
});
