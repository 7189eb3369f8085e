-- safe: online
-- How an item comes into the queue. Nothing commits here: the caller does, once for all items of a call.

CREATE OR REPLACE PACKAGE dispatch_items AUTHID DEFINER AS
  -- p_outcome: 'enqueued', 'duplicate' (it was queued already), or 'present': there is a context, compare it.
  PROCEDURE enqueue_item(
    p_item_type           IN  VARCHAR2,
    p_item_id             IN  VARCHAR2,
    p_context_json        IN  CLOB,
    p_context_version     IN  NUMBER,
    p_scheduled_exec_time IN  TIMESTAMP WITH TIME ZONE,
    p_init_workflow_id    IN  VARCHAR2,
    p_outcome             OUT VARCHAR2);

  -- p_outcome: 'duplicate' (same context), 'conflict' (another one), or 'unseen'.
  PROCEDURE compare_context(
    p_item_type       IN  VARCHAR2,
    p_item_id         IN  VARCHAR2,
    p_context_json    IN  CLOB,
    p_context_version IN  NUMBER,
    p_outcome         OUT VARCHAR2);
END dispatch_items;
/
CREATE OR REPLACE PACKAGE BODY dispatch_items AS
  PROCEDURE enqueue_item(
    p_item_type           IN  VARCHAR2,
    p_item_id             IN  VARCHAR2,
    p_context_json        IN  CLOB,
    p_context_version     IN  NUMBER,
    p_scheduled_exec_time IN  TIMESTAMP WITH TIME ZONE,
    p_init_workflow_id    IN  VARCHAR2,
    p_outcome             OUT VARCHAR2)
  IS
  BEGIN
    -- Waits for another session that inserts the same key, and then knows whether it committed.
    p_outcome := 'present';
    INSERT INTO exec_context (item_type, item_id, context_json, context_version)
    VALUES (p_item_type, p_item_id, p_context_json, p_context_version);
    p_outcome := 'duplicate';
    INSERT INTO exec_queue (item_type, item_id, scheduled_exec_time, init_workflow_id)
    VALUES (p_item_type, p_item_id, SYS_EXTRACT_UTC(p_scheduled_exec_time), p_init_workflow_id);
    INSERT INTO dispatch_audit_log (item_type, item_id, action, status_after, detail)
    VALUES (p_item_type, p_item_id, 'ENQUEUED', 'READY', 'by ' || p_init_workflow_id);
    p_outcome := 'enqueued';
  EXCEPTION
    WHEN DUP_VAL_ON_INDEX THEN NULL;
  END enqueue_item;

  PROCEDURE compare_context(
    p_item_type       IN  VARCHAR2,
    p_item_id         IN  VARCHAR2,
    p_context_json    IN  CLOB,
    p_context_version IN  NUMBER,
    p_outcome         OUT VARCHAR2)
  IS
  BEGIN
    SELECT CASE WHEN c.context_version = p_context_version AND DBMS_LOB.COMPARE(c.context_json, p_context_json) = 0
                THEN 'duplicate' ELSE 'conflict' END
      INTO p_outcome
      FROM exec_context c
     WHERE c.item_type = p_item_type AND c.item_id = p_item_id;
  EXCEPTION
    WHEN NO_DATA_FOUND THEN p_outcome := 'unseen';
  END compare_context;
END dispatch_items;
