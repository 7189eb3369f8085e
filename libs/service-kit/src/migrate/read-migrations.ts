import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describeError } from '../log/describe-error.js';
import { MigrationError } from './migration-error.js';
import type { Dialect, Migration, MigrationSet } from './migration.js';

const FILE_NAME = /^(\d{4})_[a-z0-9]+(?:_[a-z0-9]+)*\.sql$/;
const MARKER = /^-- ((?:safe|breaking): \S.*)$/;

/** All migrations of the sets, in their order. Throws with every problem of the files at once. */
export function readMigrations(sets: readonly MigrationSet[], dialect: Dialect): Migration[] {
  const problems: string[] = [];
  const migrations = withoutRepeats(sets, problems).flatMap((set) => {
    const folder = set[dialect];
    return folder === undefined ? [] : readFolder(set.component, folder, problems);
  });
  if (problems.length === 0) return migrations;
  throw new MigrationError(
    'MIGRATION_FILES',
    `the migration files are not in order:\n  ${problems.join('\n  ')}`,
  );
}

/** Two libraries may need the same component; it is one set as long as they mean the same folder. */
function withoutRepeats(sets: readonly MigrationSet[], problems: string[]): MigrationSet[] {
  const byComponent = new Map<string, MigrationSet>();
  for (const set of sets) {
    const known = byComponent.get(set.component);
    if (known !== undefined && (known.pg !== set.pg || known.oracle !== set.oracle)) {
      problems.push(`${set.component}: two sets have this name, ${known.pg} and ${set.pg}`);
    }
    byComponent.set(set.component, known ?? set);
  }
  return [...byComponent.values()];
}

function readFolder(component: string, folder: string, problems: string[]): Migration[] {
  const files = listSqlFiles(component, folder, problems);
  const migrations = files.map((file) => readMigration(component, join(folder, file), file));
  for (const { name, marker } of migrations) {
    if (marker === '')
      problems.push(`${component} ${name}: the first line must be "-- safe: …" or "-- breaking: …"`);
  }
  migrations.forEach(({ name, version }, index) => {
    const before = migrations[index - 1]?.version ?? 0;
    if (version === before) problems.push(`${component} ${name}: another file has the number ${version} too`);
    if (version > before + 1)
      problems.push(`${component} ${name}: number ${before + 1} is missing before it`);
  });
  return migrations;
}

function listSqlFiles(component: string, folder: string, problems: string[]): string[] {
  try {
    const files = readdirSync(folder).filter((file) => file.endsWith('.sql'));
    for (const file of files.filter((one) => !FILE_NAME.test(one) || one.startsWith('0000'))) {
      problems.push(`${component} ${file}: the name must be like 0001_create_things.sql`);
    }
    if (files.length === 0) problems.push(`${component}: no .sql files in ${folder}`);
    return files.filter((file) => FILE_NAME.test(file)).sort();
  } catch (error) {
    problems.push(`${component}: the folder cannot be read (${describeError(error)})`);
    return [];
  }
}

function readMigration(component: string, path: string, file: string): Migration {
  const sql = readFileSync(path, 'utf8').replaceAll('\r\n', '\n');
  return {
    component,
    version: Number(file.slice(0, 4)),
    name: file.slice(0, -'.sql'.length),
    marker: MARKER.exec(sql.split('\n', 1)[0] ?? '')?.[1] ?? '',
    sql,
    checksum: createHash('sha256').update(sql).digest('hex'),
  };
}
