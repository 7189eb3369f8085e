import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { statementNames } from './oracle-statements.js';

const filesOf = (dialect: string) => readdirSync(join(__dirname, 'sql', dialect)).toSorted();

/** The names in the last list of a query that is not in parentheses. */
function columnsOf(dialect: string, name: string): string[] {
  let text = readFileSync(join(__dirname, 'sql', dialect, `${name}.sql`), 'utf8').replace(/--.*|::\w+/g, '');
  while (/\([^()]*\)/.test(text)) text = text.replace(/\([^()]*\)/g, '');
  const list = /SELECT((?:(?!SELECT)[\s\S])*?)(?:\bFROM\b|;)[^;]*;?\s*$/.exec(text)?.[1] ?? '';
  return list
    .split(',')
    .map((item) => /(\w+)\s*$/.exec(item)?.[1] ?? '')
    .toSorted();
}

describe('the statements of the Oracle store', () => {
  it('have the names of those of PostgreSQL, but for the second half of the claim', () => {
    expect(filesOf('oracle')).toEqual([...filesOf('pg'), 'read_claimed_items.sql'].toSorted());
  });

  it('are the files of the folder, each used', () => {
    expect(filesOf('oracle')).toEqual(statementNames.map((name) => `${name}.sql`).toSorted());
  });

  it.each([...statementNames])('%s says what it is for, what goes in and what comes out', (name) => {
    const text = readFileSync(join(__dirname, 'sql', 'oracle', `${name}.sql`), 'utf8');
    const header = text.split('\n').filter((line) => line.startsWith('--'));
    expect(header.length).toBeGreaterThanOrEqual(2);
    expect(header.join('\n')).toMatch(/In: [\s\S]*Out: /);
  });

  it.each([
    'find_item',
    'find_audit_trail',
    'read_configs',
    'measure_depth',
    'list_changes',
    'list_exhausted',
    'count_finished',
  ])('%s returns the columns of its namesake', (name) => {
    expect(columnsOf('pg', name).length).toBeGreaterThan(1);
    expect(columnsOf('oracle', name)).toEqual(columnsOf('pg', name));
  });

  it('return of a claim, in its two halves, what the one statement of PostgreSQL returns', () => {
    const inFirstHalf = ['queue_status', 'reclaimed'];
    const expected = columnsOf('pg', 'claim_batch').filter((column) => !inFirstHalf.includes(column));
    expect(columnsOf('oracle', 'read_claimed_items')).toEqual(expected);
  });

  it.each([...statementNames])(
    '%s ends as the driver wants it: PL/SQL with its semicolon, SQL without',
    (name) => {
      const text = readFileSync(join(__dirname, 'sql', 'oracle', `${name}.sql`), 'utf8').trimEnd();
      expect(text.endsWith(';')).toBe(/^BEGIN/m.test(text));
    },
  );
});
