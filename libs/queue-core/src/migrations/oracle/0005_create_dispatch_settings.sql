-- safe: online
-- How an item type's dispatch settings are changed, with a row that says who did it. Nothing commits here.

CREATE OR REPLACE PACKAGE dispatch_settings AUTHID DEFINER AS
  -- p_outcome: 'created', 'changed' or 'unchanged'; the last leaves no trace.
  PROCEDURE write_config(
    p_item_type                  IN  VARCHAR2,
    p_enabled                    IN  NUMBER,
    p_batch_size                 IN  NUMBER,
    p_dispatch_interval_secs     IN  NUMBER,
    p_jitter_window_ms           IN  NUMBER,
    p_pre_start_buffer_mins      IN  NUMBER,
    p_max_dispatch_retries       IN  NUMBER,
    p_stale_claim_threshold_mins IN  NUMBER,
    p_exec_workflow_type         IN  VARCHAR2,
    p_exec_task_queue            IN  VARCHAR2,
    p_actor                      IN  VARCHAR2,
    p_reason                     IN  VARCHAR2,
    p_outcome                    OUT VARCHAR2);

  -- Only the switch, so that it never undoes another change of the same moment. p_outcome: 'changed', 'unchanged' or 'unknown'.
  PROCEDURE switch_dispatch(
    p_item_type IN  VARCHAR2,
    p_enabled   IN  NUMBER,
    p_reason    IN  VARCHAR2,
    p_actor     IN  VARCHAR2,
    p_outcome   OUT VARCHAR2);
END dispatch_settings;
/
CREATE OR REPLACE PACKAGE BODY dispatch_settings AS
  FUNCTION config_json(p_item_type IN VARCHAR2) RETURN VARCHAR2 IS
    l_json VARCHAR2(4000 CHAR);
  BEGIN
    SELECT JSON_OBJECT(
             'item_type' VALUE c.item_type,
             'enabled' VALUE CASE c.enabled WHEN 1 THEN 'true' ELSE 'false' END FORMAT JSON,
             'batch_size' VALUE c.batch_size,
             'dispatch_interval_secs' VALUE c.dispatch_interval_secs,
             'jitter_window_ms' VALUE c.jitter_window_ms,
             'pre_start_buffer_mins' VALUE c.pre_start_buffer_mins,
             'max_dispatch_retries' VALUE c.max_dispatch_retries,
             'stale_claim_threshold_mins' VALUE c.stale_claim_threshold_mins,
             'exec_workflow_type' VALUE c.exec_workflow_type,
             'exec_task_queue' VALUE c.exec_task_queue)
      INTO l_json
      FROM exec_rate_config c
     WHERE c.item_type = p_item_type;
    RETURN l_json;
  END config_json;

  PROCEDURE write_config(
    p_item_type                  IN  VARCHAR2,
    p_enabled                    IN  NUMBER,
    p_batch_size                 IN  NUMBER,
    p_dispatch_interval_secs     IN  NUMBER,
    p_jitter_window_ms           IN  NUMBER,
    p_pre_start_buffer_mins      IN  NUMBER,
    p_max_dispatch_retries       IN  NUMBER,
    p_stale_claim_threshold_mins IN  NUMBER,
    p_exec_workflow_type         IN  VARCHAR2,
    p_exec_task_queue            IN  VARCHAR2,
    p_actor                      IN  VARCHAR2,
    p_reason                     IN  VARCHAR2,
    p_outcome                    OUT VARCHAR2)
  IS
    l_before VARCHAR2(4000 CHAR) := 'null';
    l_after  VARCHAR2(4000 CHAR);
    l_detail VARCHAR2(4000 CHAR);
    l_locked exec_rate_config.item_type%TYPE;
  BEGIN
    BEGIN
      -- Insert first: two callers who both find nothing would both insert, and one of them would fail.
      INSERT INTO exec_rate_config (
        item_type, enabled, batch_size, dispatch_interval_secs, jitter_window_ms, pre_start_buffer_mins,
        max_dispatch_retries, stale_claim_threshold_mins, exec_workflow_type, exec_task_queue)
      VALUES (
        p_item_type, p_enabled, p_batch_size, p_dispatch_interval_secs, p_jitter_window_ms, p_pre_start_buffer_mins,
        p_max_dispatch_retries, p_stale_claim_threshold_mins, p_exec_workflow_type, p_exec_task_queue);
      p_outcome := 'created';
    EXCEPTION
      WHEN DUP_VAL_ON_INDEX THEN
        -- Locked before it is read, so that the trail shows the very values that were replaced.
        SELECT c.item_type INTO l_locked FROM exec_rate_config c WHERE c.item_type = p_item_type FOR UPDATE;
        l_before := config_json(p_item_type);
        UPDATE exec_rate_config
           SET enabled = p_enabled,
               batch_size = p_batch_size,
               dispatch_interval_secs = p_dispatch_interval_secs,
               jitter_window_ms = p_jitter_window_ms,
               pre_start_buffer_mins = p_pre_start_buffer_mins,
               max_dispatch_retries = p_max_dispatch_retries,
               stale_claim_threshold_mins = p_stale_claim_threshold_mins,
               exec_workflow_type = p_exec_workflow_type,
               exec_task_queue = p_exec_task_queue,
               updated_at = SYS_EXTRACT_UTC(SYSTIMESTAMP)
         WHERE item_type = p_item_type
           AND (enabled <> p_enabled OR batch_size <> p_batch_size
                OR dispatch_interval_secs <> p_dispatch_interval_secs OR jitter_window_ms <> p_jitter_window_ms
                OR pre_start_buffer_mins <> p_pre_start_buffer_mins OR max_dispatch_retries <> p_max_dispatch_retries
                OR stale_claim_threshold_mins <> p_stale_claim_threshold_mins
                OR exec_workflow_type <> p_exec_workflow_type OR exec_task_queue <> p_exec_task_queue);
        IF SQL%ROWCOUNT = 0 THEN
          p_outcome := 'unchanged';
          RETURN;
        END IF;
        p_outcome := 'changed';
    END;
    -- Through a variable: SQL may not call a function that only the body knows.
    l_after := config_json(p_item_type);
    SELECT JSON_OBJECT(
             'before' VALUE l_before FORMAT JSON, 'after' VALUE l_after FORMAT JSON, 'reason' VALUE p_reason)
      INTO l_detail
      FROM dual;
    INSERT INTO dispatch_audit_log (item_type, action, detail, actor)
    VALUES (p_item_type, 'CONFIG_CHANGED', l_detail, p_actor);
  END write_config;

  PROCEDURE switch_dispatch(
    p_item_type IN  VARCHAR2,
    p_enabled   IN  NUMBER,
    p_reason    IN  VARCHAR2,
    p_actor     IN  VARCHAR2,
    p_outcome   OUT VARCHAR2)
  IS
  BEGIN
    UPDATE exec_rate_config
       SET enabled = p_enabled,
           updated_at = SYS_EXTRACT_UTC(SYSTIMESTAMP)
     WHERE item_type = p_item_type AND enabled <> p_enabled;
    IF SQL%ROWCOUNT > 0 THEN
      p_outcome := 'changed';
      INSERT INTO dispatch_audit_log (item_type, action, detail, actor)
      VALUES (p_item_type, CASE p_enabled WHEN 1 THEN 'DISPATCH_RESUMED' ELSE 'DISPATCH_PAUSED' END, p_reason, p_actor);
      RETURN;
    END IF;
    SELECT CASE COUNT(*) WHEN 0 THEN 'unknown' ELSE 'unchanged' END
      INTO p_outcome
      FROM exec_rate_config c
     WHERE c.item_type = p_item_type;
  END switch_dispatch;
END dispatch_settings;
