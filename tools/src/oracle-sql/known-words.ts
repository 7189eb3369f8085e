/** Every word that may stand in a statement without naming a thing of ours. A new one is added here on purpose. */
export const knownWords: ReadonlySet<string> = new Set(
  [
    'SELECT DISTINCT FROM WHERE AND OR NOT NULL IS IN BETWEEN LIKE EXISTS AS ON LEFT RIGHT INNER OUTER JOIN WITH UNION ALL',
    'GROUP HAVING ORDER BY ASC DESC FETCH FIRST NEXT ROWS ROW ONLY OFFSET ROWNUM FOR OF SKIP LOCKED NOWAIT WAIT',
    'INSERT INTO VALUES UPDATE SET DELETE RETURNING BULK COLLECT CASE WHEN THEN ELSE END VALUE FORMAT JSON',
    'COUNT MIN MAX SUM GREATEST LEAST NVL COALESCE CEIL FLOOR POWER LENGTH INSTR SUBSTR TRANSLATE JSON_OBJECT ORA_HASH',
    'SYSTIMESTAMP SYS_EXTRACT_UTC FROM_TZ TO_TIMESTAMP TO_CHAR TO_NUMBER NUMTODSINTERVAL TIMESTAMP NLSSORT',
    // In table definitions, within parentheses.
    'CHAR CACHE ENABLE STORAGE',
  ].flatMap((line) => line.split(' ')),
);

/** Tables that Oracle brings, with the columns that we read. */
export const systemTables: ReadonlyMap<string, ReadonlySet<string>> = new Map([['DUAL', new Set<string>()]]);
