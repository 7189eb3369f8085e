import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MigrationError } from './migration-error.js';
import { readMigrations } from './read-migrations.js';

const folders: string[] = [];

function folderWith(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'migrations-'));
  folders.push(folder);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

function problemOf(files: Record<string, string>): string {
  try {
    readMigrations([{ component: 'demo', pg: folderWith(files) }], 'pg');
    return 'none';
  } catch (error) {
    return (error as MigrationError).message;
  }
}

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

const safe = '-- safe: online\nSELECT 1;\n';

describe('readMigrations', () => {
  it('reads the files in the order of their numbers, and ignores what is no SQL', () => {
    const pg = folderWith({
      '0002_b.sql': '-- breaking: stop first\n',
      '0001_a_b.sql': safe,
      'README.md': 'x',
    });
    expect(readMigrations([{ component: 'demo', pg }], 'pg')).toMatchObject([
      { component: 'demo', version: 1, name: '0001_a_b', marker: 'safe: online', sql: safe },
      { component: 'demo', version: 2, name: '0002_b', marker: 'breaking: stop first' },
    ]);
  });

  it('has the same checksum for the same text, whatever its line endings', () => {
    const read = (text: string): string | undefined =>
      readMigrations([{ component: 'demo', pg: folderWith({ '0001_a.sql': text }) }], 'pg')[0]?.checksum;
    expect(read(safe.replaceAll('\n', '\r\n'))).toBe(read(safe));
    expect(read(`${safe} `)).not.toBe(read(safe));
  });

  it.each([
    ['a gap', { '0001_a.sql': safe, '0003_c.sql': safe }, 'demo 0003_c: number 2 is missing before it'],
    ['a beginning after 1', { '0002_b.sql': safe }, 'demo 0002_b: number 1 is missing before it'],
    [
      'two with one number',
      { '0001_a.sql': safe, '0001_b.sql': safe },
      'demo 0001_b: another file has the number 1 too',
    ],
    [
      'a file without a marker',
      { '0001_a.sql': 'SELECT 1;' },
      'demo 0001_a: the first line must be "-- safe: …"',
    ],
    ['a marker without words', { '0001_a.sql': '-- breaking: \n' }, 'demo 0001_a: the first line must be'],
    [
      'a wrong name',
      { '0001_a.sql': safe, '2_b.sql': safe },
      'demo 2_b.sql: the name must be like 0001_create_things.sql',
    ],
    ['the number zero', { '0000_a.sql': safe }, 'demo 0000_a.sql: the name must be like'],
    ['an empty folder', {}, 'demo: no .sql files in'],
  ])('refuses %s', (...[, files, problem]) => {
    expect(problemOf(files)).toContain(problem);
  });

  it('reports the problems of all sets at once', () => {
    const sets = [
      { component: 'one', pg: folderWith({ '0002_b.sql': safe }) },
      { component: 'two', pg: '/does/not/exist' },
    ];
    expect(() => readMigrations(sets, 'pg')).toThrow(
      /one 0002_b: number 1 is missing[\s\S]*two: the folder cannot be read/,
    );
  });

  it('takes a set that several libraries name once, and refuses two sets of one name', () => {
    const one = { component: 'demo', pg: folderWith({ '0001_a.sql': safe }) };
    expect(readMigrations([one, { ...one }], 'pg')).toHaveLength(1);
    const other = { component: 'demo', pg: folderWith({ '0001_b.sql': safe }) };
    expect(() => readMigrations([one, other], 'pg')).toThrow('demo: two sets have this name');
  });

  it('leaves out sets that do not know the dialect', () => {
    const pg = folderWith({ '0001_a.sql': safe });
    expect(readMigrations([{ component: 'demo', pg }], 'oracle')).toEqual([]);
  });
});
