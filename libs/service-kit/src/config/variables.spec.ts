import type { z } from 'zod';
import {
  apiKeyList,
  flag,
  hostPort,
  hostPortList,
  httpUrl,
  oneOf,
  oracleUrl,
  port,
  postgresUrl,
  redisUrl,
  secondsAsMs,
  text,
  textList,
  wholeNumber,
} from './variables.js';

const digest = '0'.repeat(64);

describe('variables', () => {
  const accepted: { what: string; schema: z.ZodType; raw: string; value: unknown }[] = [
    { what: 'a whole number at its bound', schema: wholeNumber({ min: -1, max: 5 }), raw: '-1', value: -1 },
    { what: 'a port chosen by the system', schema: port(), raw: '0', value: 0 },
    { what: 'seconds as milliseconds', schema: secondsAsMs({ min: 0, max: 60 }), raw: '1.5', value: 1500 },
    { what: 'a flag', schema: flag(), raw: 'false', value: false },
    { what: 'one of several words', schema: oneOf(['a', 'b']), raw: 'b', value: 'b' },
    {
      what: 'text of a form',
      schema: text({ pattern: /^[a-z]+$/, expected: 'letters' }),
      raw: 'abc',
      value: 'abc',
    },
    { what: 'a list of texts', schema: textList(), raw: 'a, b', value: ['a', 'b'] },
    {
      what: 'a PostgreSQL URL',
      schema: postgresUrl(),
      raw: 'postgresql://u@h/db',
      value: 'postgresql://u@h/db',
    },
    { what: 'a Redis URL with TLS', schema: redisUrl(), raw: 'rediss://h:6379', value: 'rediss://h:6379' },
    {
      what: 'an Oracle URL',
      schema: oracleUrl(),
      raw: 'oracle://u:p@h:1521/FREEPDB1',
      value: 'oracle://u:p@h:1521/FREEPDB1',
    },
    {
      what: 'an HTTP URL without its last slash',
      schema: httpUrl(),
      raw: 'https://h:8443/base/',
      value: 'https://h:8443/base',
    },
    { what: 'host and port', schema: hostPort(), raw: 'kafka-0.kafka:9092', value: 'kafka-0.kafka:9092' },
    { what: 'an IPv6 address with port', schema: hostPort(), raw: '[::1]:9092', value: '[::1]:9092' },
    { what: 'several of them', schema: hostPortList(), raw: 'a:1, b:65535', value: ['a:1', 'b:65535'] },
    { what: 'no API keys', schema: apiKeyList(), raw: '[]', value: [] },
    {
      what: 'an API key that belongs to a tenant',
      schema: apiKeyList(),
      raw: `[{"id":"a","sha256":"${digest}","scopes":["x"],"tenant":"acme_1"}]`,
      value: [{ id: 'a', sha256: digest, scopes: ['x'], tenant: 'acme_1' }],
    },
  ];
  it.each(accepted)('accept $what', ({ schema, raw, value }) => {
    expect(schema.parse(raw)).toEqual(value);
  });

  const refused: [string, z.ZodType, string][] = [
    ['a number with a fraction', wholeNumber({ min: 0, max: 5 }), '1.0'],
    ['a number in another notation', wholeNumber({ min: 0, max: 500 }), '1e2'],
    ['a number with blanks', wholeNumber({ min: 0, max: 5 }), ' 1'],
    ['a number beyond its bound', wholeNumber({ min: 0, max: 5 }), '6'],
    ['negative seconds', secondsAsMs({ min: 0, max: 5 }), '-1'],
    ['a flag in other words', flag(), 'yes'],
    ['a word that is not in the list', oneOf(['a', 'b']), 'A'],
    ['an empty place in a list', textList(), 'a,,b'],
    ['a URL of another database', postgresUrl(), 'mysql://h/db'],
    ['a URL without a host', postgresUrl(), 'postgres:///db'],
    ['an HTTP URL with credentials', httpUrl(), 'http://u:p@h'],
    ['a host without a port', hostPort(), 'localhost'],
    ['a port that does not exist', hostPort(), 'localhost:65536'],
    ['a list with a bad entry', hostPortList(), 'a:1,b'],
    ['API keys that are not JSON', apiKeyList(), 'shop'],
    [
      'an API key with an unknown field',
      apiKeyList(),
      `[{"id":"a","sha256":"${digest}","scopes":["x"],"key":"y"}]`,
    ],
    ['an API key without scopes', apiKeyList(), `[{"id":"a","sha256":"${digest}","scopes":[]}]`],
    [
      'an API key whose id has an underscore',
      apiKeyList(),
      `[{"id":"a_b","sha256":"${digest}","scopes":["x"]}]`,
    ],
    [
      'an API key with an empty tenant',
      apiKeyList(),
      `[{"id":"a","sha256":"${digest}","scopes":["x"],"tenant":""}]`,
    ],
  ];
  it.each(refused)('refuse %s', (_, schema, raw) => {
    expect(schema.safeParse(raw).success).toBe(false);
  });
});
