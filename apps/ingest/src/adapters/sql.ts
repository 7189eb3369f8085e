import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** One statement of this app, by the name of its file. */
export function loadSql(name: string): string {
  return readFileSync(join(__dirname, 'sql', 'pg', `${name}.sql`), 'utf8');
}
