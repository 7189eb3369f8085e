/** A token of Oracle SQL. Words are in capitals; the content of a string is its text. */
export interface Token {
  readonly kind: 'word' | 'number' | 'string' | 'bind' | 'symbol';
  readonly text: string;
  readonly line: number;
  /** How many parentheses are open around it. */
  readonly depth: number;
}

export interface Finding {
  readonly rule: string;
  readonly line: number;
  readonly what: string;
}

const pattern =
  /--[^\n]*|\/\*[\s\S]*?\*\/|'(?<string>(?:[^']|'')*)'|"[^"]*"|:(?<bind>[A-Za-z]\w*)|(?<word>[A-Za-z][\w$#]*)|(?<number>\d+(?:\.\d+)?)|(?<symbol>=>|:=|\|\||<=|>=|<>|!=|\.\.|\S)/g;

/** The statements of a file, which stand between lines that hold nothing but a slash. SQL inside a string counts too. */
export function statementsOf(script: string): Token[][] {
  const statements: Token[][] = [];
  let line = 1;
  for (const part of script.split(/^[ \t]*\/[ \t]*\r?$/m)) {
    const tokens = tokenize(part, line);
    line += part.split('\n').length - 1;
    if (tokens.length > 0) statements.push(tokens, ...immediateStatements(tokens));
  }
  return statements;
}

function immediateStatements(tokens: readonly Token[]): Token[][] {
  return tokens
    .filter((token, at) => token.kind === 'string' && tokens[at - 1]?.text === 'IMMEDIATE')
    .map((token) => tokenize(token.text, token.line));
}

function tokenize(sql: string, firstLine: number): Token[] {
  const tokens: Token[] = [];
  let depth = 0;
  let line = firstLine;
  let seen = 0;
  for (const match of sql.matchAll(pattern)) {
    line += sql.slice(seen, match.index).split('\n').length - 1;
    seen = match.index;
    const { string, bind, word, number, symbol } = match.groups ?? {};
    if (symbol === ')') depth -= 1;
    if (string !== undefined) tokens.push({ kind: 'string', text: string, line, depth });
    else if (bind !== undefined) tokens.push({ kind: 'bind', text: bind.toUpperCase(), line, depth });
    else if (word !== undefined) tokens.push({ kind: 'word', text: word.toUpperCase(), line, depth });
    else if (number !== undefined) tokens.push({ kind: 'number', text: number, line, depth });
    else if (symbol !== undefined) tokens.push({ kind: 'symbol', text: symbol, line, depth });
    if (symbol === '(') depth += 1;
  }
  return tokens;
}

/** Whether the tokens from a place on are these, word for word. */
export function isAt(tokens: readonly Token[], at: number, ...texts: readonly string[]): boolean {
  return texts.every((text, index) => tokens[at + index]?.text === text);
}

/** The place of the next token with one of these texts at a depth, or the end. */
export function nextAt(
  tokens: readonly Token[],
  from: number,
  wanted: { readonly texts: readonly string[]; readonly depth: number },
): number {
  for (let at = from; at < tokens.length; at++) {
    const token = tokens[at];
    if (token && token.depth === wanted.depth && token.kind !== 'string' && wanted.texts.includes(token.text))
      return at;
  }
  return tokens.length;
}

/** How many items a list has: the commas between two places at a depth, and one. */
export function itemsBetween(tokens: readonly Token[], from: number, to: number): number {
  const depth = tokens[from]?.depth ?? 0;
  return tokens.slice(from, to).filter((token) => token.text === ',' && token.depth === depth).length + 1;
}
