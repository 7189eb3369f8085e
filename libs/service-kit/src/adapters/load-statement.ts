import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The text of one statement of the kit. */
export function loadStatement(dialect: 'pg' | 'oracle', name: string): string {
  return readFileSync(join(__dirname, 'sql', dialect, `${name}.sql`), 'utf8');
}
