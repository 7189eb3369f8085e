import { z } from 'zod';
import { ConfigurationError } from './configuration-error.js';
import { parseEnvironment } from './parse-environment.js';
import type { ParsedEnvironment } from './parse-environment.js';
import { serviceVariables } from './service-variables.js';
import { describeSummary } from './summary.js';
import { postgresUrl, secretText, wholeNumber } from './variables.js';

const schema = z.object({
  ...serviceVariables({ httpPort: 3001, opsPort: 3101 }),
  PG_URL: postgresUrl(),
  SLUICE_BATCH_SIZE: wholeNumber({ min: 1, max: 500 }).default(50),
  SLUICE_PEER_KEY: secretText().optional(),
});
const digest = 'a'.repeat(64);
const good = {
  PG_URL: 'postgres://app:hunter2@db:5432/app',
  SLUICE_API_KEYS: JSON.stringify([{ id: 'shop', sha256: digest, scopes: ['things:read'] }]),
};

function problemsOf(parsed: ParsedEnvironment<z.ZodObject>): string[] {
  return parsed.kind === 'valid'
    ? []
    : parsed.problems.map(({ variable, problem }) => `${variable} ${problem}`);
}

function configOf<S extends z.ZodObject>(parsed: ParsedEnvironment<S>): z.infer<S> {
  if (parsed.kind === 'invalid') throw new ConfigurationError(parsed.problems);
  return parsed.config;
}

describe('parseEnvironment', () => {
  it('turns text into typed values and fills in defaults', () => {
    const config = configOf(parseEnvironment(schema, { ...good, SLUICE_BATCH_SIZE: '7', PATH: '/bin' }));
    expect(config).toMatchObject({
      SLUICE_ENV: 'production',
      SLUICE_HTTP_PORT: 3001,
      SLUICE_OPS_PORT: 3101,
      SLUICE_DRAIN_SECONDS: 25,
      SLUICE_BATCH_SIZE: 7,
      SLUICE_API_KEYS: [{ id: 'shop', sha256: digest, scopes: ['things:read'] }],
    });
    expect(config).not.toHaveProperty('PATH');
  });

  it('reports every problem in one message, variables in one column', () => {
    const parsed = parseEnvironment(schema, {
      SLUICE_API_KEYS: good.SLUICE_API_KEYS,
      SLUICE_BATCH_SIZE: 'lots',
      SLUICE_BATCHSIZE: '5',
    });
    expect(parsed.kind === 'invalid' && new ConfigurationError(parsed.problems).message).toBe(
      [
        '3 problems in the environment',
        '  PG_URL             required, not set',
        '  SLUICE_BATCH_SIZE  expected a whole number 1..500, found "lots"',
        '  SLUICE_BATCHSIZE   not a variable of this service, did you mean SLUICE_BATCH_SIZE?',
      ].join('\n'),
    );
  });

  it('counts an empty value as not set and says so', () => {
    expect(problemsOf(parseEnvironment(schema, { ...good, PG_URL: '' }))).toEqual([
      'PG_URL required, not set (an empty value counts as not set)',
    ]);
    expect(configOf(parseEnvironment(schema, { ...good, SLUICE_BATCH_SIZE: '' })).SLUICE_BATCH_SIZE).toBe(50);
  });

  it('never takes the default for a malformed value', () => {
    expect(problemsOf(parseEnvironment(schema, { ...good, SLUICE_HTTP_PORT: '30o1' }))).toEqual([
      'SLUICE_HTTP_PORT expected a whole number 0..65535, found "30o1"',
    ]);
  });

  it('shows nothing of a secret, whether it fits or not', () => {
    const pasted = '[{"id":"shop","sha256":"slk_shop_pasted-by-mistake","scopes":["a"]}]';
    const parsed = parseEnvironment(schema, {
      PG_URL: 'mysql://app:hunter2@db/app',
      SLUICE_API_KEYS: pasted,
      SLUICE_PEER_KEY: 'topsecret',
    });
    const text = problemsOf(parsed).join('\n');
    expect(text).toContain(
      'PG_URL expected a URL postgres://user@host:port/database, found "mysql://app:***@db/app"',
    );
    expect(text).toContain('SLUICE_API_KEYS expected a JSON array');
    expect(text).toContain('0.sha256');
    expect(text).not.toMatch(/hunter2|pasted|topsecret/);
  });

  it('redacts secrets in the summary and tells where values came from', () => {
    const parsed = parseEnvironment(
      schema,
      { ...good, SLUICE_PEER_KEY_FILE: '/run/secrets/peer' },
      { readFile: () => 'topsecret\n' },
    );
    const text = parsed.kind === 'valid' ? describeSummary(parsed.summary) : '';
    expect(text).toMatch(/PG_URL +postgres:\/\/app:\*\*\*@db:5432\/app$/m);
    expect(text).toMatch(/SLUICE_PEER_KEY +set \(file\)$/m);
    expect(text).toMatch(/SLUICE_API_KEYS +set$/m);
    expect(text).toMatch(/SLUICE_BATCH_SIZE +50 \(default\)$/m);
    expect(text).not.toMatch(/hunter2|topsecret|aaaa/);
  });

  it('refuses an API without keys in production and allows it in development', () => {
    expect(problemsOf(parseEnvironment(schema, { PG_URL: good.PG_URL }))).toEqual([
      'SLUICE_API_KEYS required in production, not set',
    ]);
    expect(problemsOf(parseEnvironment(schema, { PG_URL: good.PG_URL, SLUICE_API_KEYS: '[]' }))).toEqual([
      'SLUICE_API_KEYS required in production, found an empty list',
    ]);
    const config = configOf(parseEnvironment(schema, { PG_URL: good.PG_URL, SLUICE_ENV: 'development' }));
    expect(config.SLUICE_API_KEYS).toEqual([]);
  });

  it('reports a rule that an app laid on several variables together', () => {
    const ruled = schema.refine((config) => config.SLUICE_BATCH_SIZE < config.SLUICE_HTTP_PORT, {
      path: ['SLUICE_BATCH_SIZE'],
      message: 'expected less than SLUICE_HTTP_PORT',
    });
    expect(problemsOf(parseEnvironment(ruled, { ...good, SLUICE_HTTP_PORT: '10' }))).toEqual([
      'SLUICE_BATCH_SIZE expected less than SLUICE_HTTP_PORT',
    ]);
  });
});

describe('variables from files', () => {
  const withFile = (content: () => string, more = {}): string[] => {
    const environment = { ...good, SLUICE_PEER_KEY_FILE: '/run/secrets/peer', ...more };
    return problemsOf(parseEnvironment(schema, environment, { readFile: content }));
  };

  it('takes a secret from the file and trims one newline at its end', () => {
    const environment = { SLUICE_API_KEYS: good.SLUICE_API_KEYS, PG_URL_FILE: '/run/secrets/url' };
    const config = configOf(parseEnvironment(schema, environment, { readFile: () => `${good.PG_URL}\r\n` }));
    expect(config.PG_URL).toBe(good.PG_URL);
  });

  it('refuses a variable and its file together', () => {
    expect(withFile(() => 'x', { SLUICE_PEER_KEY: 'y' })).toEqual([
      'SLUICE_PEER_KEY_FILE set together with SLUICE_PEER_KEY, expected only one of the two',
    ]);
  });

  it('names a file that cannot be read, or that is empty', () => {
    const missing = (): string => {
      throw Object.assign(new Error('no such file'), { code: 'ENOENT' });
    };
    expect(withFile(missing)).toEqual([
      'SLUICE_PEER_KEY_FILE expected a readable file, found ENOENT for "/run/secrets/peer"',
    ]);
    expect(withFile(() => '\n')).toEqual([
      'SLUICE_PEER_KEY_FILE expected a file with the value, found an empty file "/run/secrets/peer"',
    ]);
  });

  it('does not know a file for a variable that is no secret', () => {
    expect(problemsOf(parseEnvironment(schema, { ...good, SLUICE_BATCH_SIZE_FILE: '/x' }))).toEqual([
      'SLUICE_BATCH_SIZE_FILE not a variable of this service, did you mean SLUICE_BATCH_SIZE?',
    ]);
  });
});

describe('variables with our prefix', () => {
  it('refuses one that resembles nothing without a guess', () => {
    expect(problemsOf(parseEnvironment(schema, { ...good, SLUICE_COMPLETELY_DIFFERENT: '' }))).toEqual([
      'SLUICE_COMPLETELY_DIFFERENT not a variable of this service',
    ]);
  });

  it('tolerates the addresses of neighbours that Kubernetes sets, and only there', () => {
    const links = {
      SLUICE_INGEST_SERVICE_HOST: '10.0.0.1',
      SLUICE_INGEST_SERVICE_PORT: '80',
      SLUICE_INGEST_SERVICE_PORT_HTTP: '80',
      SLUICE_INGEST_PORT: 'tcp://10.0.0.1:80',
      SLUICE_INGEST_PORT_80_TCP: 'tcp://10.0.0.1:80',
      SLUICE_INGEST_PORT_80_TCP_ADDR: '10.0.0.1',
    };
    expect(problemsOf(parseEnvironment(schema, { ...good, ...links }))).toHaveLength(6);
    expect(
      problemsOf(parseEnvironment(schema, { ...good, ...links, KUBERNETES_SERVICE_HOST: '10.0.0.2' })),
    ).toEqual([]);
  });
});
