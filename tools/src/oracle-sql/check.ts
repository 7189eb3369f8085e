import { listFindings } from './list-rules.js';
import { lockingFindings } from './locking-rules.js';
import { nameFindings } from './name-rules.js';
import { callFindings, packageFindings } from './package-rules.js';
import { readSchema } from './schema.js';
import type { Schema } from './schema.js';
import { statementsOf } from './tokens.js';
import type { Finding } from './tokens.js';
import { typeFindings } from './type-rules.js';

/** The tables and packages that these scripts create. */
export function schemaOf(scripts: readonly string[]): Schema {
  return readSchema(scripts.flatMap((script) => statementsOf(script)));
}

/** Everything that our own rules find wrong with a script, given the schema that it runs in. */
export function checkScript(schema: Schema, script: string): Finding[] {
  const statements = statementsOf(script);
  const { packages: own } = readSchema(statements);
  // A package that the script brings replaces the one of that name.
  const packages = [...own, ...schema.packages.filter((known) => !own.some((unit) => isSame(unit, known)))];
  const inForce = { ...schema, packages };
  return [
    ...packageFindings(inForce, own),
    ...statements.flatMap((tokens) => [
      ...lockingFindings(tokens),
      ...typeFindings(tokens),
      ...listFindings(tokens),
      ...nameFindings(inForce, tokens),
      ...callFindings(inForce, tokens),
    ]),
  ];
}

const isSame = (one: Schema['packages'][number], other: Schema['packages'][number]): boolean =>
  one.name === other.name && one.isBody === other.isBody;
