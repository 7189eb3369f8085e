import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Parser } from '@asyncapi/parser';
import { asyncApiDocument } from './async-api.js';
import { createRoutes, type ApiParts } from './routes.js';

/** Stands for whatever the routes are made of: to be described they need nothing. */
const nothing: unknown = new Proxy(() => undefined, { get: () => nothing });
const routes = createRoutes(nothing as ApiParts);

async function serve(path: string): Promise<{ body?: unknown; headers?: Record<string, string> }> {
  const found = routes.find((one) => one.path === path);
  if (found === undefined) throw new Error(`nothing is served at ${path}`);
  return found.handle({} as Parameters<typeof found.handle>[0]);
}

describe('the AsyncAPI document', () => {
  test('is one, without an error or a warning', async () => {
    const { document, diagnostics } = await new Parser().parse(JSON.stringify(asyncApiDocument()));
    const severe = diagnostics.filter(({ severity }) => Number(severity) <= 1);
    expect(severe.map(({ code, message, path }) => ({ code, message, path }))).toEqual([]);
    expect(
      document
        ?.channels()
        .all()
        .map((channel) => channel.address()),
    ).toEqual(['payments.requested', 'payments.requested.dlq']);
  }, 60_000);

  test('is served as it is committed', async () => {
    const committed = readFileSync(join(__dirname, '..', '..', 'asyncapi.json'), 'utf8');
    expect(JSON.parse(committed)).toEqual(JSON.parse(JSON.stringify((await serve('/asyncapi.json')).body)));
  });
});

describe('the OpenAPI document', () => {
  test('has every route, each with an answer of its own', async () => {
    const { body } = await serve('/openapi.json');
    const { paths } = body as {
      paths: Record<string, Record<string, { responses: Record<string, unknown> }>>;
    };
    const operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { responses }]) => ({ name: `${method} ${path}`, responses })),
    );
    expect(operations.map(({ name }) => name)).toContain('post /api/v1/payments/upload');
    expect(operations).toHaveLength(routes.length);
    for (const { responses } of operations) expect(Object.keys(responses)).not.toContain('default');
  });

  test('knows a payment as the intake does, fields and all', async () => {
    const { body } = await serve('/openapi.json');
    const text = JSON.stringify(body);
    for (const word of [
      'PaymentRequest',
      'routingNumber',
      'iban',
      'minorUnits',
      'Idempotency-Key',
      'application/x-ndjson',
    ])
      expect(text).toContain(word);
  });
});

describe('the page for people', () => {
  test('loads nothing from anywhere and names every path', async () => {
    const { body, headers } = await serve('/docs');
    const page = String(body);
    expect(headers?.['content-security-policy']).toBe("default-src 'none'; style-src 'unsafe-inline'");
    expect(page).not.toMatch(/<script|<link|<img|<iframe|@import|url\(|src=/i);
    const links = [...page.matchAll(/href="([^"]*)"/g)].map(([, link]) => link);
    expect(links.every((link) => link?.startsWith('/'))).toBe(true);
    for (const { path } of routes.filter((one) => one.path.startsWith('/api')))
      expect(page).toContain(path.replaceAll(/:(\w+)/g, '{$1}'));
  });
});
