import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkScript, schemaOf } from './check.js';
import { falseStatements, brokenStatements } from './false-statements.js';
import { syntaxErrors } from './syntax.js';

const root = join(__dirname, '..', '..', '..');
const files = globSync('{apps,libs,infra}/*/src/**/oracle/*.sql', { cwd: root }).toSorted();
const textOf = (file: string): string => readFileSync(join(root, file), 'utf8');
const schema = schemaOf(files.map(textOf));

describe('the Oracle SQL of the repository, as far as it can be checked without Oracle', () => {
  let syntax: Awaited<ReturnType<typeof syntaxErrors>>;
  beforeAll(async () => {
    syntax = await syntaxErrors([...files.map(textOf), ...brokenStatements.map(({ sql }) => sql)]);
  }, 600_000);

  it('is found', () => {
    expect(files).toContain('libs/queue-core/src/migrations/oracle/0001_create_dispatch_queue.sql');
    expect(files.filter((file) => file.includes('queue-core/src/adapters')).length).toBeGreaterThan(10);
    expect([...schema.tables.keys()]).toEqual(expect.arrayContaining(['EXEC_QUEUE', 'SLUICE_SCHEMA_LOCK']));
    expect(schema.tables.get('EXEC_CONTEXT')).toEqual(
      new Set(['ITEM_TYPE', 'ITEM_ID', 'CONTEXT_JSON', 'CONTEXT_VERSION', 'CREATED_AT', 'UPDATED_AT']),
    );
  });

  it.each(files)('%s is accepted by the grammar', (file) => {
    expect(syntax.get(textOf(file))).toEqual([]);
  });

  it.each(files)('%s keeps our rules', (file) => {
    expect(checkScript(schema, textOf(file))).toEqual([]);
  });

  it.each(brokenStatements)('the grammar refuses $what', ({ sql }) => {
    expect(syntax.get(sql)).not.toEqual([]);
  });

  it.each(falseStatements)('«$rule» catches $what', ({ rule, sql }) => {
    expect(checkScript(schema, sql).map((finding) => finding.rule)).toContain(rule);
  });
});
