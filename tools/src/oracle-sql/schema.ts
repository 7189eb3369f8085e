import { isAt, nextAt } from './tokens.js';
import type { Token } from './tokens.js';

export interface Routine {
  readonly name: string;
  readonly line: number;
  /** Everything from its kind to the end of its head, in one line. */
  readonly head: string;
  readonly parameters: readonly string[];
  /** Where its tokens begin and end in the package. */
  readonly from: number;
  readonly to: number;
}

export interface Package {
  readonly name: string;
  readonly isBody: boolean;
  readonly routines: readonly Routine[];
  readonly tokens: readonly Token[];
}

export interface Schema {
  /** The columns of each table. */
  readonly tables: ReadonlyMap<string, ReadonlySet<string>>;
  readonly packages: readonly Package[];
}

export function readSchema(statements: readonly (readonly Token[])[]): Schema {
  return {
    tables: new Map(
      statements.flatMap((tokens) => (isAt(tokens, 0, 'CREATE', 'TABLE') ? [readTable(tokens)] : [])),
    ),
    packages: statements.flatMap((tokens) => readPackage(tokens)),
  };
}

const notColumns = new Set(['CONSTRAINT', 'PRIMARY', 'UNIQUE', 'CHECK', 'FOREIGN']);

function readTable(tokens: readonly Token[]): [string, Set<string>] {
  const columns = new Set<string>();
  for (const [at, token] of tokens.entries()) {
    const before = tokens[at - 1];
    const begins =
      at > 3 && token.depth === 1 && (before?.text === ',' || before?.text === '(') && before.depth < 2;
    if (begins && !notColumns.has(token.text)) columns.add(token.text);
    if (token.text === ')' && token.depth === 0) break;
  }
  return [tokens[2]?.text ?? '', columns];
}

function readPackage(tokens: readonly Token[]): Package[] {
  const at = tokens.findIndex((token) => token.text === 'PACKAGE');
  if (tokens[0]?.text !== 'CREATE' || at < 0 || at > 3) return [];
  const isBody = isAt(tokens, at + 1, 'BODY');
  const name = tokens[at + (isBody ? 2 : 1)]?.text ?? '';
  return [{ name, isBody, tokens, routines: readRoutines(tokens, isBody) }];
}

/** Those of the package itself; what is declared inside another routine belongs to that one. */
function readRoutines(tokens: readonly Token[], isBody: boolean): Routine[] {
  const routines: Routine[] = [];
  for (let at = 0; at < tokens.length; at++) {
    if (tokens[at]?.text !== 'PROCEDURE' && tokens[at]?.text !== 'FUNCTION') continue;
    const { text: name = '', line = 0 } = tokens[at + 1] ?? {};
    const headEnd = nextAt(tokens, at, { texts: [';', 'IS', 'AS'], depth: 0 });
    const to = isBody ? endOf(tokens, headEnd, name) : headEnd;
    routines.push({
      ...{ name, line, from: at, to },
      head: tokens
        .slice(at, headEnd)
        .map(({ text }) => text)
        .join(' '),
      parameters: parametersIn(tokens.slice(at, headEnd)),
    });
    at = to;
  }
  return routines;
}

/** The house style repeats a routine's name at its end. */
function endOf(tokens: readonly Token[], from: number, name: string): number {
  for (let at = from; at < tokens.length; at++) if (isAt(tokens, at, 'END', name, ';')) return at;
  return tokens.length;
}

function parametersIn(head: readonly Token[]): string[] {
  return head
    .filter(
      (token, at) =>
        token.depth === 1 && ['(', ','].includes(head[at - 1]?.text ?? '') && token.kind === 'word',
    )
    .map(({ text }) => text);
}
