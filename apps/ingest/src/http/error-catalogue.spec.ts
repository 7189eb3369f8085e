import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rejectionCodes } from '@sluice/payments';
import { deadLetterReasons } from '../request-message.js';
import { createRoutes, type ApiParts } from './routes.js';

const root = join(__dirname, '..', '..', '..', '..');
const catalogue = readFileSync(join(root, 'docs', 'errors.md'), 'utf8');

/** The codes of the table under a heading. */
function listed(heading: string): string[] {
  const section = catalogue.split(/^## /m).find((part) => part.startsWith(heading));
  if (section === undefined) throw new Error(`docs/errors.md has no section "${heading}"`);
  return [...section.matchAll(/^\| `([A-Z_]+)`/gm)].map(([, code = '']) => code).toSorted();
}

const nothing: unknown = new Proxy(() => undefined, { get: () => nothing });

async function documentedProblems(): Promise<string[]> {
  const route = createRoutes(nothing as ApiParts).find(({ path }) => path === '/openapi.json');
  const answer = await route?.handle({} as Parameters<NonNullable<typeof route>['handle']>[0]);
  const text = JSON.stringify(answer?.body);
  return [
    ...new Set(
      [...text.matchAll(/"code":\{"enum":\[([^\]]*)\]/g)].flatMap(
        ([, codes = '']) => codes.match(/[A-Z_]+/g) ?? [],
      ),
    ),
  ];
}

function sources(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.spec.ts') && !name.includes('testing'))
    .map((name) => readFileSync(join(folder, name), 'utf8'));
}

describe('the catalogue of errors', () => {
  // Answered before a request has reached any route.
  const beforeRoutes = [
    'UNKNOWN_PATH',
    'METHOD_NOT_ALLOWED',
    'BAD_REQUEST',
    'REQUEST_TIMEOUT',
    'REQUEST_HEADER_FIELDS_TOO_LARGE',
  ];

  test('has every problem of the HTTP API, and no other', async () => {
    expect(listed('Problems of the HTTP API')).toEqual(
      [...(await documentedProblems()), ...beforeRoutes].toSorted(),
    );
  });

  test('has every reason for a rejection, and no other', () => {
    expect(listed('Reasons of payments')).toEqual(
      [...Object.keys(rejectionCodes), 'CANCELLED_BY_REQUEST'].toSorted(),
    );
  });

  test('has every reason of a dead letter, and no other', () => {
    expect(listed('Dead letters')).toEqual(Object.keys(deadLetterReasons).toSorted());
  });

  test('has every code that an upload may tell of', () => {
    const own = sources(join(root, 'apps', 'ingest', 'src')).join('\n');
    const upload = readFileSync(join(root, 'apps', 'ingest', 'src', 'upload-payments.ts'), 'utf8');
    const told = [...upload.matchAll(/'([A-Z]+(?:_[A-Z]+)+)'/g)].map(([, code = '']) => code);
    expect(listed('Reports of an upload')).toEqual(
      [...new Set([...told, 'BODY_TOO_SLOW', 'INVALID_REQUEST'])].toSorted(),
    );
    expect(own).toContain('mostRefusals');
  });

  test('leaves out no code that the sources use', () => {
    const texts = [
      ...sources(join(root, 'apps', 'ingest', 'src')),
      ...sources(join(root, 'libs', 'payments', 'src', 'rules')),
    ].join('\n');
    const used = new Set(
      [...texts.matchAll(/(?:code: |reasonOf\(\s*|dead\(|#stopped\()'([A-Z_]{3,})'/g)].map(
        ([, code = '']) => code,
      ),
    );
    // Errors that are thrown inside and never leave the service.
    const inside = ['CONSUMER_STALLED', 'SLOTS_UNAVAILABLE', 'QUEUE_CONFLICT'];
    for (const code of used) if (!inside.includes(code)) expect(catalogue).toContain(`\`${code}\``);
    expect(used.size).toBeGreaterThan(15);
  });
});
