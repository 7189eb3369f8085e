import { knownWords, systemTables } from './known-words.js';
import { isAt, nextAt } from './tokens.js';
import type { Schema } from './schema.js';
import type { Finding, Token } from './tokens.js';

/**
 * Every table and column that a statement names exists. A column is looked for in all tables of the statement, so one that is
 * used in the wrong part of it is not noticed unless it is qualified.
 */
export function nameFindings(schema: Schema, tokens: readonly Token[]): Finding[] {
  const statements = isAt(tokens, 0, 'CREATE') ? [...definitions(tokens)] : [];
  return [
    ...[...statements, ...dataStatements(tokens)].flatMap((statement) => unknownNames(schema, statement)),
    ...tokens.flatMap((_token, at) =>
      isAt(tokens, at + 3, '%', 'TYPE') ? unknownType(schema, tokens, at) : [],
    ),
  ];
}

/** A variable of the type of a column: table.column%TYPE. */
function unknownType(schema: Schema, tokens: readonly Token[], at: number): Finding[] {
  const [table, column] = [tokens[at], tokens[at + 2]];
  if (!table || !column || schema.tables.get(table.text)?.has(column.text)) return [];
  return [{ rule: 'columns exist', line: table.line, what: `${table.text}.${column.text}%TYPE` }];
}

/** Of a table, the parts in parentheses within its own; of an index, its columns. */
function* definitions(tokens: readonly Token[]): Generator<readonly Token[]> {
  const table = tokens[isAt(tokens, 1, 'TABLE') ? 2 : 4];
  const isIndex = isAt(tokens, 1, 'INDEX') && isAt(tokens, 3, 'ON');
  if (!table || !(isIndex || isAt(tokens, 1, 'TABLE'))) return;
  const parts = tokens.filter(
    ({ depth }, at) => depth > (isIndex ? 0 : 1) || isAt(tokens, at - 2, 'LOB', '('),
  );
  yield [{ ...table, text: 'FROM' }, table, { ...table, kind: 'symbol', text: '(' }, ...parts];
}

const statementWords = new Set(['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'MERGE']);

function* dataStatements(tokens: readonly Token[]): Generator<readonly Token[]> {
  for (let at = 0; at < tokens.length; at++) {
    const before = tokens[at - 1]?.text ?? ';';
    const begins =
      statementWords.has(tokens[at]?.text ?? '') && before !== '.' && !isAt(tokens, at - 1, 'FOR', 'UPDATE');
    if (!begins && !(isAt(tokens, at, 'WITH') && before === ';')) continue;
    const end = nextAt(tokens, at, { texts: [';'], depth: tokens[at]?.depth ?? 0 });
    yield tokens.slice(at, end);
    at = end;
  }
}

function unknownNames(schema: Schema, statement: readonly Token[]): Finding[] {
  const scope = scopeOf(schema, statement);
  return statement.flatMap((token, at) => {
    const { text, line } = token;
    if (token.kind !== 'word' || scope.names.has(text)) return [];
    if (isAt(statement, at - 1, '.'))
      return qualified(schema, scope, { token, qualifier: statement[at - 2]?.text ?? '' });
    if (isTablePlace(statement, at)) return [{ rule: 'tables exist', line, what: text }];
    const isOther =
      knownWords.has(text) || /^[PLC]_/.test(text) || text === 'I' || isAt(statement, at + 1, '.');
    return isOther || scope.columns.has(text) ? [] : [{ rule: 'columns exist', line, what: text }];
  });
}

interface Scope {
  /** Tables and their aliases, with their columns; for a named query, the columns of the whole statement. */
  readonly tables: ReadonlyMap<string, ReadonlySet<string>>;
  readonly columns: ReadonlySet<string>;
  /** What else the statement itself names: queries, result columns. */
  readonly names: ReadonlySet<string>;
}

function scopeOf(schema: Schema, statement: readonly Token[]): Scope {
  const tables = new Map<string, ReadonlySet<string>>();
  const queries = statement.filter(
    (token, at) => token.kind === 'word' && isAt(statement, at + 1, 'AS', '('),
  );
  const results = statement.filter(
    (_token, at) => isAt(statement, at - 1, 'AS') && !isAt(statement, at, '('),
  );
  for (const [at, { text }] of statement.entries()) {
    const columns = schema.tables.get(text) ?? systemTables.get(text);
    if (!isTablePlace(statement, at) || !columns) continue;
    tables.set(text, columns);
    const alias = statement[at + 1];
    if (alias?.kind === 'word' && !knownWords.has(alias.text)) tables.set(alias.text, columns);
  }
  const columns = new Set([...tables.values()].flatMap((some) => [...some]));
  for (const { text } of queries) tables.set(text, columns);
  return { tables, columns, names: new Set([...tables.keys(), ...results.map(({ text }) => text)]) };
}

/** After FROM, JOIN, INSERT INTO and the UPDATE that begins a statement. */
function isTablePlace(statement: readonly Token[], at: number): boolean {
  const place = statement[at - 1]?.text ?? '';
  if (statement[at]?.kind !== 'word') return false;
  if (place === 'FROM' || place === 'JOIN' || (place === 'UPDATE' && at === 1)) return true;
  return isAt(statement, at - 2, 'INSERT', 'INTO');
}

function qualified(
  schema: Schema,
  scope: Scope,
  { token: { text, line }, qualifier }: { token: Token; qualifier: string },
): Finding[] {
  const isPackage = qualifier.startsWith('DBMS_') || schema.packages.some(({ name }) => name === qualifier);
  if (isPackage || /^[PL]_/.test(qualifier) || scope.tables.get(qualifier)?.has(text)) return [];
  return [{ rule: 'columns exist', line, what: `${qualifier}.${text}` }];
}
