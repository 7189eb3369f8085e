/** Statements that are wrong on purpose: each proves that a check can fail. */
interface FalseStatement {
  readonly what: string;
  readonly sql: string;
}

export const brokenStatements: readonly FalseStatement[] = [
  { what: 'a misspelt SELECT', sql: 'SELEC item_id FROM exec_queue' },
  { what: 'a missing semicolon', sql: 'BEGIN UPDATE exec_queue SET retry_count = 0 END;' },
  { what: 'a missing END IF', sql: 'BEGIN IF 1 = 1 THEN NULL; END;' },
  { what: 'the LIMIT of another database', sql: 'SELECT item_id FROM exec_queue LIMIT 5' },
];

const inCursor = (query: string, body: string): string =>
  `DECLARE CURSOR c_due IS ${query}; BEGIN ${body} END;`;

const inPackage = (spec: string, body: string): string =>
  `CREATE PACKAGE things AS ${spec} END things;\n/\nCREATE PACKAGE BODY things AS ${body} END things;`;

export const falseStatements: readonly (FalseStatement & { readonly rule: string })[] = [
  {
    rule: 'no limit beside FOR UPDATE',
    what: 'FETCH FIRST',
    sql: 'SELECT item_id FROM exec_queue ORDER BY claimed_at FETCH FIRST 5 ROWS ONLY FOR UPDATE SKIP LOCKED',
  },
  {
    rule: 'no limit beside FOR UPDATE',
    what: 'OFFSET',
    sql: 'SELECT item_id FROM exec_queue OFFSET 5 ROWS FOR UPDATE',
  },
  {
    rule: 'no limit beside FOR UPDATE',
    what: 'ROWNUM, also in a subquery',
    sql: 'SELECT item_id FROM exec_queue WHERE item_id IN (SELECT item_id FROM exec_context WHERE ROWNUM < 5) FOR UPDATE',
  },
  {
    rule: 'FOR UPDATE at the top only',
    what: 'an inline view that locks',
    sql: 'SELECT item_id FROM (SELECT item_id FROM exec_queue FOR UPDATE SKIP LOCKED)',
  },
  {
    rule: 'no cursor FOR loop over SKIP LOCKED',
    what: 'a loop over a declared cursor',
    sql: inCursor(
      'SELECT item_id FROM exec_queue FOR UPDATE SKIP LOCKED',
      'FOR r IN c_due LOOP NULL; END LOOP;',
    ),
  },
  {
    rule: 'no cursor FOR loop over SKIP LOCKED',
    what: 'a loop over a query of its own',
    sql: 'BEGIN FOR r IN (SELECT item_id FROM exec_queue FOR UPDATE SKIP LOCKED) LOOP NULL; END LOOP; END;',
  },
  {
    rule: 'WAIT with a literal',
    what: 'a variable after WAIT',
    sql: 'SELECT item_id FROM exec_queue FOR UPDATE WAIT :seconds',
  },
  {
    rule: 'VARCHAR2 says CHAR',
    what: 'a length in bytes',
    sql: 'CREATE TABLE t (a VARCHAR2(20) NOT NULL, b VARCHAR2(20 CHAR))',
  },
  {
    rule: 'the clock in UTC',
    what: 'a column compared with the zoned clock',
    sql: 'SELECT item_id FROM exec_queue WHERE claimed_at < SYSTIMESTAMP',
  },
  {
    rule: 'instants in UTC',
    what: 'a column compared with a zoned parameter',
    sql: inPackage(
      'PROCEDURE a(p_at IN TIMESTAMP WITH TIME ZONE);',
      `PROCEDURE a(p_at IN TIMESTAMP WITH TIME ZONE) IS
       BEGIN UPDATE exec_queue SET claimed_at = NULL WHERE claimed_at < p_at; END a;`,
    ),
  },
  {
    rule: 'lists of one length',
    what: 'a column without a value',
    sql: "INSERT INTO exec_context (item_type, item_id, context_version) VALUES (:a, NVL(:b, 'x'))",
  },
  {
    rule: 'lists of one length',
    what: 'a column without a selected value',
    sql: 'INSERT INTO exec_context (item_type, item_id) SELECT item_type FROM exec_queue',
  },
  {
    rule: 'lists of one length',
    what: 'a returned value without a target',
    sql: 'BEGIN UPDATE exec_queue SET retry_count = 0 RETURNING item_id, retry_count BULK COLLECT INTO l_ids; END;',
  },
  {
    rule: 'lists of one length',
    what: 'a selected value without a target',
    sql: 'BEGIN SELECT item_id, item_type INTO l_id FROM exec_queue; END;',
  },
  { rule: 'tables exist', what: 'a misspelt table', sql: 'SELECT item_id FROM exec_queues' },
  {
    rule: 'tables exist',
    what: 'a misspelt table in a join',
    sql: 'SELECT 1 FROM exec_queue q JOIN exec_contexts c ON 1 = 1',
  },
  { rule: 'columns exist', what: 'a misspelt column', sql: 'SELECT item_idd FROM exec_queue' },
  {
    rule: 'columns exist',
    what: 'a column of another table',
    sql: 'UPDATE exec_queue SET context_json = :a WHERE item_id = :b',
  },
  {
    rule: 'columns exist',
    what: 'a column under the wrong alias',
    sql: 'SELECT q.context_json FROM exec_queue q JOIN exec_context c ON c.item_id = q.item_id',
  },
  {
    rule: 'columns exist',
    what: 'a misspelt column of an index',
    sql: 'CREATE INDEX ix ON exec_queue (item_typ, claimed_at)',
  },
  {
    rule: 'columns exist',
    what: 'a misspelt column of a key',
    sql: 'CREATE TABLE t (a NUMBER(1), CONSTRAINT pk_t PRIMARY KEY (b))',
  },
  {
    rule: 'columns exist',
    what: 'a misspelt column inside FORALL',
    sql: 'BEGIN FORALL i IN 1 .. l_ids.COUNT UPDATE exec_queue SET retry_cont = 1 WHERE item_id = l_ids(i); END;',
  },
  {
    rule: 'columns exist',
    what: 'a variable of the type of a misspelt column',
    sql: 'DECLARE l_id exec_queue.item_idd%TYPE; BEGIN NULL; END;',
  },
  {
    rule: 'spec and body agree',
    what: 'a parameter of another type in the body',
    sql: inPackage('PROCEDURE a(p_x IN NUMBER);', 'PROCEDURE a(p_x IN VARCHAR2) IS BEGIN NULL; END a;'),
  },
  {
    rule: 'spec and body agree',
    what: 'a routine that the body lacks',
    sql: inPackage('PROCEDURE a; PROCEDURE b;', 'PROCEDURE a IS BEGIN NULL; END a;'),
  },
  {
    rule: 'spec and body agree',
    what: 'a package without a body',
    sql: 'CREATE PACKAGE things AS PROCEDURE a; END things;',
  },
  {
    rule: 'variables are declared',
    what: 'a local of another routine',
    sql: inPackage(
      'PROCEDURE a; PROCEDURE b;',
      'PROCEDURE a IS l_x NUMBER; BEGIN l_x := 1; END a; PROCEDURE b IS BEGIN l_x := 1; END b;',
    ),
  },
  {
    rule: 'calls agree with the spec',
    what: 'a call without one of the parameters',
    sql: 'BEGIN dispatch_settling.release_items(p_item_type => :a, p_token => :b, p_item_ids => :c, p_reason => :d); END;',
  },
  {
    rule: 'calls agree with the spec',
    what: 'a routine that is not there',
    sql: 'BEGIN dispatch_claims.claim_batches(:a); END;',
  },
];
