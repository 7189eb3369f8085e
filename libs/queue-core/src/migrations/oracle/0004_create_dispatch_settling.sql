-- safe: online
-- What becomes of claimed items. Each call changes only what its token still holds, and lists that in p_changed. Nothing
-- commits here: the caller does.

CREATE OR REPLACE PACKAGE dispatch_settling AUTHID DEFINER AS
  TYPE text_list IS TABLE OF VARCHAR2(1000 CHAR) INDEX BY PLS_INTEGER;

  PROCEDURE mark_dispatched(
    p_item_type         IN  VARCHAR2,
    p_token             IN  VARCHAR2,
    p_item_ids          IN  text_list,
    p_exec_workflow_ids IN  text_list,
    p_actions           IN  text_list,
    p_changed           OUT text_list);

  PROCEDURE return_to_ready(
    p_item_type IN  VARCHAR2,
    p_token     IN  VARCHAR2,
    p_item_ids  IN  text_list,
    p_errors    IN  text_list,
    p_changed   OUT text_list,
    p_statuses  OUT text_list);

  PROCEDURE release_items(
    p_item_type IN  VARCHAR2,
    p_token     IN  VARCHAR2,
    p_item_ids  IN  text_list,
    p_reason    IN  VARCHAR2,
    p_changed   OUT text_list);

  PROCEDURE exhaust_items(
    p_item_type IN  VARCHAR2,
    p_token     IN  VARCHAR2,
    p_item_ids  IN  text_list,
    p_errors    IN  text_list,
    p_changed   OUT text_list);
END dispatch_settling;
/
CREATE OR REPLACE PACKAGE BODY dispatch_settling AS
  PROCEDURE mark_dispatched(
    p_item_type         IN  VARCHAR2,
    p_token             IN  VARCHAR2,
    p_item_ids          IN  text_list,
    p_exec_workflow_ids IN  text_list,
    p_actions           IN  text_list,
    p_changed           OUT text_list)
  IS
    l_now     TIMESTAMP(6) := SYS_EXTRACT_UTC(SYSTIMESTAMP);
    l_actions text_list;
    l_details text_list;
  BEGIN
    FORALL i IN 1 .. p_item_ids.COUNT
      UPDATE exec_queue
         SET queue_status = 'DISPATCHED',
             exec_workflow_id = p_exec_workflow_ids(i),
             dispatched_at = l_now,
             last_error = NULL,
             updated_at = l_now
       WHERE item_type = p_item_type AND item_id = p_item_ids(i)
         AND queue_status = 'CLAIMED' AND dispatch_batch_id = p_token;
    FOR i IN 1 .. p_item_ids.COUNT LOOP
      IF SQL%BULK_ROWCOUNT(i) > 0 THEN
        p_changed(p_changed.COUNT + 1) := p_item_ids(i);
        l_actions(p_changed.COUNT) := p_actions(i);
        l_details(p_changed.COUNT) := p_exec_workflow_ids(i);
      END IF;
    END LOOP;
    FORALL i IN 1 .. p_changed.COUNT
      INSERT INTO dispatch_audit_log (batch_id, item_type, item_id, action, status_before, status_after, detail)
      VALUES (p_token, p_item_type, p_changed(i), l_actions(i), 'CLAIMED', 'DISPATCHED', l_details(i));
  END mark_dispatched;

  PROCEDURE return_to_ready(
    p_item_type IN  VARCHAR2,
    p_token     IN  VARCHAR2,
    p_item_ids  IN  text_list,
    p_errors    IN  text_list,
    p_changed   OUT text_list,
    p_statuses  OUT text_list)
  IS
    l_now         TIMESTAMP(6) := SYS_EXTRACT_UTC(SYSTIMESTAMP);
    l_max_retries PLS_INTEGER;
    l_interval    PLS_INTEGER;
    l_errors      text_list;
  BEGIN
    BEGIN
      SELECT c.max_dispatch_retries, c.dispatch_interval_secs
        INTO l_max_retries, l_interval
        FROM exec_rate_config c
       WHERE c.item_type = p_item_type;
    EXCEPTION
      WHEN NO_DATA_FOUND THEN RETURN;
    END;
    -- The spread comes from a hash, since DBMS_RANDOM is closed to most users of a hardened database.
    FORALL i IN 1 .. p_item_ids.COUNT
      UPDATE exec_queue
         SET queue_status = CASE WHEN retry_count + 1 < l_max_retries THEN 'READY' ELSE 'EXHAUSTED' END,
             retry_count = retry_count + 1,
             retry_after = l_now + NUMTODSINTERVAL(
               LEAST(300, l_interval * POWER(2, LEAST(retry_count, 10)))
                 * (0.75 + ORA_HASH(item_id || p_token, 1000) / 2000), 'SECOND'),
             last_error = p_errors(i),
             dispatch_batch_id = NULL,
             claimed_at = NULL,
             updated_at = l_now
       WHERE item_type = p_item_type AND item_id = p_item_ids(i)
         AND queue_status = 'CLAIMED' AND dispatch_batch_id = p_token
      RETURNING item_id, queue_status, last_error BULK COLLECT INTO p_changed, p_statuses, l_errors;
    FORALL i IN 1 .. p_changed.COUNT
      INSERT INTO dispatch_audit_log (batch_id, item_type, item_id, action, status_before, status_after, detail)
      VALUES (p_token, p_item_type, p_changed(i),
              CASE p_statuses(i) WHEN 'READY' THEN 'DISPATCH_FAILED' ELSE 'EXHAUSTED' END,
              'CLAIMED', p_statuses(i), l_errors(i));
  END return_to_ready;

  PROCEDURE release_items(
    p_item_type IN  VARCHAR2,
    p_token     IN  VARCHAR2,
    p_item_ids  IN  text_list,
    p_reason    IN  VARCHAR2,
    p_changed   OUT text_list)
  IS
    l_now TIMESTAMP(6) := SYS_EXTRACT_UTC(SYSTIMESTAMP);
  BEGIN
    FORALL i IN 1 .. p_item_ids.COUNT
      UPDATE exec_queue
         SET queue_status = 'READY',
             dispatch_batch_id = NULL,
             last_error = p_reason,
             claimed_at = NULL,
             updated_at = l_now
       WHERE item_type = p_item_type AND item_id = p_item_ids(i)
         AND queue_status = 'CLAIMED' AND dispatch_batch_id = p_token
      RETURNING item_id BULK COLLECT INTO p_changed;
    FORALL i IN 1 .. p_changed.COUNT
      INSERT INTO dispatch_audit_log (batch_id, item_type, item_id, action, status_before, status_after, detail)
      VALUES (p_token, p_item_type, p_changed(i), 'RELEASED', 'CLAIMED', 'READY', p_reason);
  END release_items;

  PROCEDURE exhaust_items(
    p_item_type IN  VARCHAR2,
    p_token     IN  VARCHAR2,
    p_item_ids  IN  text_list,
    p_errors    IN  text_list,
    p_changed   OUT text_list)
  IS
    l_now    TIMESTAMP(6) := SYS_EXTRACT_UTC(SYSTIMESTAMP);
    l_errors text_list;
  BEGIN
    FORALL i IN 1 .. p_item_ids.COUNT
      UPDATE exec_queue
         SET queue_status = 'EXHAUSTED',
             last_error = p_errors(i),
             dispatch_batch_id = NULL,
             claimed_at = NULL,
             updated_at = l_now
       WHERE item_type = p_item_type AND item_id = p_item_ids(i)
         AND queue_status = 'CLAIMED' AND dispatch_batch_id = p_token
      RETURNING item_id, last_error BULK COLLECT INTO p_changed, l_errors;
    FORALL i IN 1 .. p_changed.COUNT
      INSERT INTO dispatch_audit_log (batch_id, item_type, item_id, action, status_before, status_after, detail)
      VALUES (p_token, p_item_type, p_changed(i), 'EXHAUSTED', 'CLAIMED', 'EXHAUSTED', l_errors(i));
  END exhaust_items;
END dispatch_settling;
