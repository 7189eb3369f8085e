import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadStatements } from './statements.js';
import type { StatementName } from './statements.js';

it('loads every statement in its folder, each under its own name', async () => {
  const run = loadStatements();
  const folder = join(__dirname, 'sql', 'pg');
  const files = readdirSync(folder);
  expect(files.length).toBeGreaterThan(0);
  for (const file of files) {
    const name = file.replace('.sql', '');
    const asked: unknown[] = [];
    const db = { query: (statement: unknown) => Promise.resolve({ rows: [asked.push(statement)] }) };
    await run(db, name as StatementName, []);
    expect(asked).toEqual([
      { name: `outbox_${name}`, text: readFileSync(join(folder, file), 'utf8'), values: [] },
    ]);
  }
});
