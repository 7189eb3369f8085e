import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadStatements, statementNames } from './pg-statements.js';

const folder = join(__dirname, 'sql', 'pg');

describe('the statements of the PostgreSQL store', () => {
  it('are the files of the folder, each used', () => {
    expect(readdirSync(folder).toSorted()).toEqual(statementNames.map((name) => `${name}.sql`).toSorted());
  });

  it.each([...statementNames])('%s says what it is for, what goes in and what comes out', (name) => {
    const text = readFileSync(join(folder, `${name}.sql`), 'utf8');
    const header = text.split('\n').filter((line) => line.startsWith('--'));
    expect(header.length).toBeGreaterThanOrEqual(2);
    expect(header.join('\n')).toMatch(/In: [\s\S]*Out: /);
  });

  it('hand on the failure of the driver with the name of the statement', async () => {
    const run = loadStatements({
      query: () => Promise.reject(Object.assign(new Error('down'), { code: '57P01' })),
    } as never);
    await expect(run('find_item', [])).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      operation: 'find_item',
    });
  });
});
