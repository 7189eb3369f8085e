-- safe: online
-- What keeps the tables small. Each call removes one small batch; rows that another session holds are left for the next one.
-- Nothing commits here: the caller does.

CREATE OR REPLACE PACKAGE dispatch_retention AUTHID DEFINER AS
  TYPE text_list IS TABLE OF VARCHAR2(1000 CHAR) INDEX BY PLS_INTEGER;
  TYPE number_list IS TABLE OF NUMBER INDEX BY PLS_INTEGER;

  -- DISPATCHED and CANCELLED items with their contexts.
  PROCEDURE purge_finished(
    p_item_type       IN  VARCHAR2,
    p_min_age_seconds IN  NUMBER,
    p_max_items       IN  PLS_INTEGER,
    p_items           OUT PLS_INTEGER,
    p_contexts        OUT PLS_INTEGER);

  -- Audit rows, oldest ids first. Ids grow with time, so that age needs no index on the table that is written most. Sessions
  -- draw ids in blocks, so that a few young rows may stand in front of old ones: it looks past them, and never at more
  -- than ten times the limit.
  PROCEDURE prune_audit(
    p_min_age_seconds IN  NUMBER,
    p_max_rows        IN  PLS_INTEGER,
    p_removed         OUT PLS_INTEGER);
END dispatch_retention;
/
CREATE OR REPLACE PACKAGE BODY dispatch_retention AS
  PROCEDURE purge_finished(
    p_item_type       IN  VARCHAR2,
    p_min_age_seconds IN  NUMBER,
    p_max_items       IN  PLS_INTEGER,
    p_items           OUT PLS_INTEGER,
    p_contexts        OUT PLS_INTEGER)
  IS
    l_before TIMESTAMP(6) := SYS_EXTRACT_UTC(SYSTIMESTAMP) - NUMTODSINTERVAL(p_min_age_seconds, 'SECOND');
    l_left   PLS_INTEGER := p_max_items;
    l_ids    text_list;
    l_gone   text_list;

    CURSOR c_old(p_status IN VARCHAR2) IS
      SELECT q.item_id
        FROM exec_queue q
       WHERE q.settled_type = p_item_type AND q.settled_status = p_status AND q.settled_at <= l_before
       ORDER BY q.settled_at
         FOR UPDATE OF q.queue_status SKIP LOCKED;

    PROCEDURE remove_old(p_status IN VARCHAR2) IS
    BEGIN
      OPEN c_old(p_status);
      FETCH c_old BULK COLLECT INTO l_ids LIMIT l_left;
      CLOSE c_old;
      l_gone.DELETE;
      FORALL i IN 1 .. l_ids.COUNT
        DELETE FROM exec_queue
         WHERE item_type = p_item_type AND item_id = l_ids(i) AND queue_status = p_status AND updated_at <= l_before
        RETURNING item_id BULK COLLECT INTO l_gone;
      -- A FORALL without a turn would leave the count of the statement before.
      IF l_gone.COUNT > 0 THEN
        FORALL i IN 1 .. l_gone.COUNT
          DELETE FROM exec_context WHERE item_type = p_item_type AND item_id = l_gone(i);
        p_items := p_items + l_gone.COUNT;
        p_contexts := p_contexts + SQL%ROWCOUNT;
      END IF;
    END remove_old;
  BEGIN
    p_items := 0;
    p_contexts := 0;
    remove_old('DISPATCHED');
    l_left := p_max_items - p_items;
    IF l_left > 0 THEN
      remove_old('CANCELLED');
    END IF;
    IF p_items > 0 THEN
      INSERT INTO dispatch_audit_log (item_type, action, detail)
      VALUES (p_item_type, 'PURGED', TO_CHAR(p_items) || ' items');
    END IF;
  END purge_finished;

  PROCEDURE prune_audit(
    p_min_age_seconds IN  NUMBER,
    p_max_rows        IN  PLS_INTEGER,
    p_removed         OUT PLS_INTEGER)
  IS
    l_before TIMESTAMP(6) := SYS_EXTRACT_UTC(SYSTIMESTAMP) - NUMTODSINTERVAL(p_min_age_seconds, 'SECOND');
    l_front  PLS_INTEGER := p_max_rows * 10;
    l_last   NUMBER;
    l_ids    number_list;

    CURSOR c_old IS
      SELECT a.audit_id
        FROM dispatch_audit_log a
       WHERE a.audit_id <= l_last AND a.created_at <= l_before
       ORDER BY a.audit_id
         FOR UPDATE OF a.created_at SKIP LOCKED;
  BEGIN
    p_removed := 0;
    SELECT MAX(audit_id)
      INTO l_last
      FROM (SELECT a.audit_id FROM dispatch_audit_log a ORDER BY a.audit_id FETCH FIRST l_front ROWS ONLY);
    OPEN c_old;
    FETCH c_old BULK COLLECT INTO l_ids LIMIT p_max_rows;
    CLOSE c_old;
    IF l_ids.COUNT > 0 THEN
      FORALL i IN 1 .. l_ids.COUNT
        DELETE FROM dispatch_audit_log WHERE audit_id = l_ids(i);
      p_removed := SQL%ROWCOUNT;
    END IF;
  END prune_audit;
END dispatch_retention;
