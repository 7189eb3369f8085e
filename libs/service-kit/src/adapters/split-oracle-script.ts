const COMMENTS = /^(?:\s+|--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/)+/;
const PLSQL =
  /^(?:BEGIN|DECLARE|CREATE\s+(?:OR\s+REPLACE\s+)?(?:(?:NON)?EDITIONABLE\s+)?(?:PACKAGE|PROCEDURE|FUNCTION|TRIGGER|TYPE|LIBRARY)\b)/i;

/**
 * The statements of a file, which stand between lines that hold nothing but a slash. The driver takes one statement a
 * call: SQL without its semicolon, PL/SQL with it.
 */
export function splitOracleScript(script: string): string[] {
  return script
    .split(/^[ \t]*\/[ \t]*\r?$/m)
    .map((part) => part.trim())
    .filter((part) => part.replace(COMMENTS, '') !== '')
    .map((part) => (PLSQL.test(part.replace(COMMENTS, '')) ? part : part.replace(/\s*;\s*$/, '')));
}
