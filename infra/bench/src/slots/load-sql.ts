import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** One of the statements that lie beside this file. */
export function loadSql(name: string): string {
  return readFileSync(join(__dirname, 'sql', `${name}.sql`), 'utf8');
}
