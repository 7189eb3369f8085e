import { isAt } from './tokens.js';
import type { Finding, Token } from './tokens.js';

/** What no grammar sees: shapes of FOR UPDATE that Oracle refuses, or that lock other rows than they seem to. */
export function lockingFindings(tokens: readonly Token[]): Finding[] {
  const loops = loopFindings(tokens);
  const locks = tokens.flatMap((_token, at) =>
    isAt(tokens, at, 'FOR', 'UPDATE') ? lockFindings(tokens, at) : [],
  );
  return [...locks, ...loops];
}

function lockFindings(tokens: readonly Token[], at: number): Finding[] {
  const { line = 0, depth = 0 } = tokens[at] ?? {};
  const findings: Finding[] = [];
  const query = tokens.slice(startOfQuery(tokens, at), at);
  const limit = query.find((token, index) => isLimit(query, index) && token.kind === 'word');
  if (limit) findings.push({ rule: 'no limit beside FOR UPDATE', line, what: `${limit.text} (ORA-02014)` });
  if (depth > 0)
    findings.push({ rule: 'FOR UPDATE at the top only', line, what: 'inside parentheses (ORA-00907)' });
  for (let next = at; next < tokens.length && tokens[next]?.text !== ';'; next++) {
    const after = tokens[next + 1];
    if (tokens[next]?.text === 'WAIT' && after?.kind !== 'number')
      findings.push({ rule: 'WAIT with a literal', line, what: `WAIT ${after?.text ?? ''}` });
  }
  return findings;
}

function isLimit(tokens: readonly Token[], at: number): boolean {
  if (isAt(tokens, at, 'FETCH', 'FIRST') || isAt(tokens, at, 'FETCH', 'NEXT')) return true;
  return isAt(tokens, at, 'OFFSET') || isAt(tokens, at, 'ROWNUM');
}

/** Back to the SELECT of the query that ends here, which has the same depth. */
function startOfQuery(tokens: readonly Token[], end: number): number {
  const depth = tokens[end]?.depth;
  for (let at = end; at >= 0; at--) {
    if (tokens[at]?.text === 'SELECT' && tokens[at]?.depth === depth) return at;
  }
  return 0;
}

/** A cursor FOR loop fetches a hundred rows at a time, and SKIP LOCKED locks what is fetched. */
function loopFindings(tokens: readonly Token[]): Finding[] {
  const skipping = new Set(
    tokens.flatMap((token, at) =>
      tokens[at - 1]?.text === 'CURSOR' && skipsLocked(tokens, at) ? [token.text] : [],
    ),
  );
  return tokens.flatMap((token, at) => {
    if (token.text !== 'FOR' || tokens[at + 2]?.text !== 'IN') return [];
    const over = tokens[at + 3];
    const wrong = over?.text === '(' ? skipsLocked(tokens, at) : skipping.has(over?.text ?? '');
    return wrong
      ? [{ rule: 'no cursor FOR loop over SKIP LOCKED', line: token.line, what: 'use FETCH … LIMIT' }]
      : [];
  });
}

function skipsLocked(tokens: readonly Token[], from: number): boolean {
  for (let at = from; at < tokens.length; at++) {
    if (isAt(tokens, at, 'SKIP', 'LOCKED')) return true;
    if (tokens[at]?.text === ';' || tokens[at]?.text === 'LOOP') return false;
  }
  return false;
}
