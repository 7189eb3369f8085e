-- safe: online
-- The claim. No single statement of Oracle can do it: a row limit beside FOR UPDATE is refused (ORA-02014), and ROWNUM is
-- counted before the locks are tried, so that claimers starve behind each other. An explicit cursor with SKIP LOCKED locks
-- its rows as they are fetched, and so no more than are asked for.

CREATE OR REPLACE PACKAGE dispatch_claims AUTHID DEFINER AS
  TYPE text_list IS TABLE OF VARCHAR2(1000 CHAR) INDEX BY PLS_INTEGER;

  -- From now to an instant in UTC; negative when it is past.
  FUNCTION seconds_until(p_instant IN TIMESTAMP) RETURN NUMBER;

  -- p_claimed_at is the instant that the claimed rows bear, as text: a Date of JavaScript would lose its microseconds.
  PROCEDURE claim_batch(
    p_item_type  IN  VARCHAR2,
    p_token      IN  VARCHAR2,
    p_max_items  IN  PLS_INTEGER,
    p_claimed_at OUT VARCHAR2,
    p_claimed    OUT PLS_INTEGER,
    p_reclaimed  OUT text_list,
    p_exhausted  OUT text_list);
END dispatch_claims;
/
CREATE OR REPLACE PACKAGE BODY dispatch_claims AS
  FUNCTION seconds_until(p_instant IN TIMESTAMP) RETURN NUMBER IS
    l_left INTERVAL DAY(9) TO SECOND(6) := p_instant - SYS_EXTRACT_UTC(SYSTIMESTAMP);
  BEGIN
    RETURN EXTRACT(DAY FROM l_left) * 86400 + EXTRACT(HOUR FROM l_left) * 3600
         + EXTRACT(MINUTE FROM l_left) * 60 + EXTRACT(SECOND FROM l_left);
  END seconds_until;

  PROCEDURE claim_batch(
    p_item_type  IN  VARCHAR2,
    p_token      IN  VARCHAR2,
    p_max_items  IN  PLS_INTEGER,
    p_claimed_at OUT VARCHAR2,
    p_claimed    OUT PLS_INTEGER,
    p_reclaimed  OUT text_list,
    p_exhausted  OUT text_list)
  IS
    -- Of the columns' own type: compared with a value that bears a zone, a column is converted and its index lost.
    l_now          TIMESTAMP(6) := SYS_EXTRACT_UTC(SYSTIMESTAMP);
    l_due_before   TIMESTAMP(6);
    l_stale_before TIMESTAMP(6);
    l_max_retries  PLS_INTEGER;
    l_left         PLS_INTEGER;
    l_ids          text_list;
    l_taken        text_list;
    l_statuses     text_list;
    l_errors       text_list;

    CURSOR c_stale IS
      SELECT q.item_id
        FROM exec_queue q
       WHERE q.item_type = p_item_type AND q.queue_status = 'CLAIMED' AND q.claimed_at <= l_stale_before
       ORDER BY q.claimed_at
         FOR UPDATE OF q.queue_status SKIP LOCKED;

    CURSOR c_ready IS
      SELECT q.item_id
        FROM exec_queue q
       WHERE q.item_type = p_item_type AND q.queue_status = 'READY' AND q.scheduled_exec_time <= l_due_before
         AND (q.retry_after IS NULL OR q.retry_after <= l_now)
       ORDER BY q.scheduled_exec_time
         FOR UPDATE OF q.queue_status SKIP LOCKED;

    -- Every row is tested again as it is changed: whether a row that another session changed between the opening of a
    -- cursor and its fetch is seen as it was or as it is, then makes no difference.
    PROCEDURE take_stale IS
    BEGIN
      OPEN c_stale;
      FETCH c_stale BULK COLLECT INTO l_ids LIMIT l_left;
      CLOSE c_stale;
      -- A FORALL without a turn leaves its lists as they were.
      l_taken.DELETE;
      l_statuses.DELETE;
      -- First the trail, while the rows still name the claim that was lost.
      FORALL i IN 1 .. l_ids.COUNT
        INSERT INTO dispatch_audit_log (batch_id, item_type, item_id, action, status_before, status_after, detail)
        SELECT q.dispatch_batch_id, q.item_type, q.item_id,
               CASE WHEN q.retry_count + 1 < l_max_retries THEN 'RECLAIMED' ELSE 'EXHAUSTED' END,
               'CLAIMED',
               CASE WHEN q.retry_count + 1 < l_max_retries THEN 'CLAIMED' ELSE 'EXHAUSTED' END,
               CASE WHEN q.retry_count + 1 < l_max_retries THEN 'taken over by ' || p_token
                    ELSE 'claim ' || q.dispatch_batch_id || ' went stale' END
          FROM exec_queue q
         WHERE q.item_type = p_item_type AND q.item_id = l_ids(i)
           AND q.queue_status = 'CLAIMED' AND q.claimed_at <= l_stale_before;
      FORALL i IN 1 .. l_ids.COUNT
        UPDATE exec_queue
           SET queue_status = CASE WHEN retry_count + 1 < l_max_retries THEN 'CLAIMED' ELSE 'EXHAUSTED' END,
               dispatch_batch_id = CASE WHEN retry_count + 1 < l_max_retries THEN p_token END,
               claimed_at = CASE WHEN retry_count + 1 < l_max_retries THEN l_now END,
               retry_count = retry_count + 1,
               last_error = 'claim ' || dispatch_batch_id || ' went stale',
               updated_at = l_now
         WHERE item_type = p_item_type AND item_id = l_ids(i)
           AND queue_status = 'CLAIMED' AND claimed_at <= l_stale_before
        RETURNING item_id, queue_status BULK COLLECT INTO l_taken, l_statuses;
      FOR i IN 1 .. l_taken.COUNT LOOP
        IF l_statuses(i) = 'CLAIMED' THEN
          p_claimed := p_claimed + 1;
          p_reclaimed(p_reclaimed.COUNT + 1) := l_taken(i);
        ELSE
          p_exhausted(p_exhausted.COUNT + 1) := l_taken(i);
        END IF;
      END LOOP;
    END take_stale;

    PROCEDURE take_ready IS
    BEGIN
      OPEN c_ready;
      FETCH c_ready BULK COLLECT INTO l_ids LIMIT l_left;
      CLOSE c_ready;
      l_taken.DELETE;
      l_statuses.DELETE;
      FORALL i IN 1 .. l_ids.COUNT
        UPDATE exec_queue
           SET queue_status = CASE WHEN retry_count < l_max_retries THEN 'CLAIMED' ELSE 'EXHAUSTED' END,
               dispatch_batch_id = CASE WHEN retry_count < l_max_retries THEN p_token END,
               claimed_at = CASE WHEN retry_count < l_max_retries THEN l_now END,
               updated_at = l_now
         WHERE item_type = p_item_type AND item_id = l_ids(i)
           AND queue_status = 'READY' AND (retry_after IS NULL OR retry_after <= l_now)
        RETURNING item_id, queue_status, last_error BULK COLLECT INTO l_taken, l_statuses, l_errors;
      FOR i IN 1 .. l_taken.COUNT LOOP
        IF l_statuses(i) = 'CLAIMED' THEN
          p_claimed := p_claimed + 1;
        ELSE
          -- Only where the number of retries was lowered below what the item has used.
          p_exhausted(p_exhausted.COUNT + 1) := l_taken(i);
          INSERT INTO dispatch_audit_log (item_type, item_id, action, status_before, status_after, detail)
          VALUES (p_item_type, l_taken(i), 'EXHAUSTED', 'READY', 'EXHAUSTED', l_errors(i));
        END IF;
      END LOOP;
    END take_ready;
  BEGIN
    p_claimed := 0;
    p_claimed_at := TO_CHAR(l_now, 'YYYY-MM-DD"T"HH24:MI:SS.FF6');
    IF p_max_items IS NULL OR p_max_items < 1 THEN
      raise_application_error(-20001, 'p_max_items must be at least 1');
    END IF;
    BEGIN
      SELECT c.max_dispatch_retries,
             l_now + NUMTODSINTERVAL(c.pre_start_buffer_mins, 'MINUTE'),
             l_now - NUMTODSINTERVAL(c.stale_claim_threshold_mins, 'MINUTE')
        INTO l_max_retries, l_due_before, l_stale_before
        FROM exec_rate_config c
       WHERE c.item_type = p_item_type AND c.enabled = 1;
    EXCEPTION
      WHEN NO_DATA_FOUND THEN RETURN;
    END;
    -- Half of the limit each, and what one leaves the other takes, so that neither starves. A claim that was taken over has
    -- a new instant, and so the second turn does not see it.
    l_left := TRUNC((p_max_items + 1) / 2);
    take_stale;
    l_left := p_max_items - p_claimed - p_exhausted.COUNT;
    IF l_left > 0 THEN
      take_ready;
    END IF;
    l_left := p_max_items - p_claimed - p_exhausted.COUNT;
    IF l_left > 0 THEN
      take_stale;
    END IF;
    IF p_claimed > 0 THEN
      INSERT INTO dispatch_audit_log (batch_id, item_type, action, status_before, status_after, detail)
      VALUES (p_token, p_item_type, 'CLAIMED', 'READY', 'CLAIMED', TO_CHAR(p_claimed) || ' items');
    END IF;
  END claim_batch;
END dispatch_claims;
