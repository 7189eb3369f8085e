import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The text of `sql/pg/<name>.sql`, to be read once when an adapter is made. */
export function loadSql(name: string): string {
  return readFileSync(join(__dirname, 'sql', 'pg', `${name}.sql`), 'utf8');
}
