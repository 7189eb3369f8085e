import { isAt } from './tokens.js';
import type { Finding, Token } from './tokens.js';

const clocks = new Set(['SYSTIMESTAMP', 'SYSDATE', 'CURRENT_TIMESTAMP', 'CURRENT_DATE', 'LOCALTIMESTAMP']);

/** Text is counted in characters, and instants are in UTC without a zone before they meet a column. */
export function typeFindings(tokens: readonly Token[]): Finding[] {
  const zoned = new Set(
    tokens
      .filter((_token, at) => isAt(tokens, at + 2, 'TIMESTAMP', 'WITH', 'TIME', 'ZONE'))
      .map(({ text }) => text),
  );
  return tokens.flatMap((token, at): Finding[] => {
    const { text, line } = token;
    if (token.kind !== 'word') return [];
    if (/^N?VARCHAR2?$/.test(text) && isAt(tokens, at + 1, '(') && tokens[at + 3]?.text !== 'CHAR')
      return [{ rule: 'VARCHAR2 says CHAR', line, what: `VARCHAR2(${tokens[at + 2]?.text ?? ''})` }];
    if (clocks.has(text) && !inUtc(tokens, at))
      return [{ rule: 'the clock in UTC', line, what: `${text} outside SYS_EXTRACT_UTC` }];
    if (zoned.has(text) && !inUtc(tokens, at) && !isDeclared(tokens, at))
      return [{ rule: 'instants in UTC', line, what: `${text} outside SYS_EXTRACT_UTC` }];
    return [];
  });
}

const inUtc = (tokens: readonly Token[], at: number): boolean => isAt(tokens, at - 2, 'SYS_EXTRACT_UTC', '(');

const isDeclared = (tokens: readonly Token[], at: number): boolean =>
  isAt(tokens, at + 1, '=>') || isAt(tokens, at + 2, 'TIMESTAMP', 'WITH', 'TIME', 'ZONE');
