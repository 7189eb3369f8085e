-- safe: online
-- What people do to items, and what they look at. Nothing commits here: the caller does.

CREATE OR REPLACE PACKAGE dispatch_operations AUTHID DEFINER AS
  TYPE text_list IS TABLE OF VARCHAR2(1000 CHAR) INDEX BY PLS_INTEGER;
  TYPE number_list IS TABLE OF NUMBER INDEX BY PLS_INTEGER;

  -- Items come in the order of their key, so that two operators wait for each other and never in a circle.
  PROCEDURE requeue_items(
    p_item_type IN  VARCHAR2,
    p_item_ids  IN  text_list,
    p_reason    IN  VARCHAR2,
    p_actor     IN  VARCHAR2,
    p_changed   OUT text_list);

  PROCEDURE cancel_items(
    p_item_type IN  VARCHAR2,
    p_item_ids  IN  text_list,
    p_reason    IN  VARCHAR2,
    p_actor     IN  VARCHAR2,
    p_changed   OUT text_list);

  -- As many statuses as items; NULL where there is no such item.
  PROCEDURE read_statuses(
    p_item_type IN  VARCHAR2,
    p_item_ids  IN  text_list,
    p_statuses  OUT text_list);

  -- Jumps from one minute that has READY items to the next and reads at most a cap of each.
  PROCEDURE measure_minutes(
    p_item_type   IN  VARCHAR2,
    p_from        IN  TIMESTAMP WITH TIME ZONE,
    p_max_minutes IN  PLS_INTEGER,
    p_cap         IN  PLS_INTEGER,
    p_minutes     OUT text_list,
    p_ready       OUT number_list);
END dispatch_operations;
/
CREATE OR REPLACE PACKAGE BODY dispatch_operations AS
  PROCEDURE requeue_items(
    p_item_type IN  VARCHAR2,
    p_item_ids  IN  text_list,
    p_reason    IN  VARCHAR2,
    p_actor     IN  VARCHAR2,
    p_changed   OUT text_list)
  IS
    l_now TIMESTAMP(6) := SYS_EXTRACT_UTC(SYSTIMESTAMP);
  BEGIN
    -- The last error stays until the item is dispatched: it is what the operator wanted to be rid of.
    FORALL i IN 1 .. p_item_ids.COUNT
      UPDATE exec_queue
         SET queue_status = 'READY',
             retry_count = 0,
             retry_after = NULL,
             updated_at = l_now
       WHERE item_type = p_item_type AND item_id = p_item_ids(i) AND queue_status = 'EXHAUSTED'
      RETURNING item_id BULK COLLECT INTO p_changed;
    FORALL i IN 1 .. p_changed.COUNT
      INSERT INTO dispatch_audit_log (item_type, item_id, action, status_before, status_after, detail, actor)
      VALUES (p_item_type, p_changed(i), 'REQUEUED', 'EXHAUSTED', 'READY', p_reason, p_actor);
  END requeue_items;

  PROCEDURE cancel_items(
    p_item_type IN  VARCHAR2,
    p_item_ids  IN  text_list,
    p_reason    IN  VARCHAR2,
    p_actor     IN  VARCHAR2,
    p_changed   OUT text_list)
  IS
    l_now TIMESTAMP(6) := SYS_EXTRACT_UTC(SYSTIMESTAMP);
  BEGIN
    FORALL i IN 1 .. p_item_ids.COUNT
      UPDATE exec_queue
         SET queue_status = 'CANCELLED',
             retry_after = NULL,
             updated_at = l_now
       WHERE item_type = p_item_type AND item_id = p_item_ids(i) AND queue_status = 'READY'
      RETURNING item_id BULK COLLECT INTO p_changed;
    FORALL i IN 1 .. p_changed.COUNT
      INSERT INTO dispatch_audit_log (item_type, item_id, action, status_before, status_after, detail, actor)
      VALUES (p_item_type, p_changed(i), 'CANCELLED', 'READY', 'CANCELLED', p_reason, p_actor);
  END cancel_items;

  PROCEDURE read_statuses(
    p_item_type IN  VARCHAR2,
    p_item_ids  IN  text_list,
    p_statuses  OUT text_list)
  IS
  BEGIN
    FOR i IN 1 .. p_item_ids.COUNT LOOP
      -- MAX of no row is NULL, where a plain column would be an exception.
      SELECT MAX(q.queue_status)
        INTO p_statuses(i)
        FROM exec_queue q
       WHERE q.item_type = p_item_type AND q.item_id = p_item_ids(i);
    END LOOP;
  END read_statuses;

  PROCEDURE measure_minutes(
    p_item_type   IN  VARCHAR2,
    p_from        IN  TIMESTAMP WITH TIME ZONE,
    p_max_minutes IN  PLS_INTEGER,
    p_cap         IN  PLS_INTEGER,
    p_minutes     OUT text_list,
    p_ready       OUT number_list)
  IS
    l_from TIMESTAMP(6) := NVL(SYS_EXTRACT_UTC(p_from), TIMESTAMP '0001-01-01 00:00:00');
    l_next TIMESTAMP(6);

    -- By its seconds: TRUNC would make a DATE of it first, which may round up into the next minute.
    FUNCTION minute_of(p_instant IN TIMESTAMP) RETURN TIMESTAMP IS
    BEGIN
      RETURN p_instant - NUMTODSINTERVAL(EXTRACT(SECOND FROM p_instant), 'SECOND');
    END minute_of;
  BEGIN
    l_from := minute_of(l_from);
    FOR i IN 1 .. p_max_minutes LOOP
      SELECT MIN(q.scheduled_exec_time)
        INTO l_next
        FROM exec_queue q
       WHERE q.item_type = p_item_type AND q.queue_status = 'READY' AND q.scheduled_exec_time >= l_from;
      EXIT WHEN l_next IS NULL;
      l_from := minute_of(l_next);
      l_next := l_from + INTERVAL '1' MINUTE;
      p_minutes(i) := TO_CHAR(l_from, 'YYYY-MM-DD"T"HH24:MI:SS"Z"');
      SELECT COUNT(*)
        INTO p_ready(i)
        FROM exec_queue q
       WHERE q.item_type = p_item_type AND q.queue_status = 'READY'
         AND q.scheduled_exec_time >= l_from AND q.scheduled_exec_time < l_next AND ROWNUM <= p_cap + 1;
      l_from := l_next;
    END LOOP;
  END measure_minutes;
END dispatch_operations;
