-- safe: online
-- What both ways of changing windows need: the lock, the present, the place of a slot, and the spans without room.
-- Nothing commits here: the caller does.

CREATE OR REPLACE PACKAGE rate_limit_spans AUTHID DEFINER AS
  -- Waits for the other transactions of the config. Creates the row that is locked where p_create is 1.
  PROCEDURE lock_name(p_config_name IN VARCHAR2, p_create IN NUMBER);

  -- Milliseconds since the epoch: p_now_ms, or the clock of the database where that is NULL.
  FUNCTION present_ms(p_now_ms IN NUMBER) RETURN NUMBER;

  -- Where a slot lies inside its window: a golden-ratio walk over p_config.max_per_window equal cells.
  FUNCTION slot_offset(p_config IN rate_limit_config%ROWTYPE, p_slot_no IN NUMBER) RETURN NUMBER;

  -- The end of the span without room that holds the window, or NULL.
  FUNCTION full_until(p_config_name IN VARCHAR2, p_window_ms IN NUMBER) RETURN NUMBER;

  -- Adds a run of windows to the spans without room, joined with those it touches or covers.
  PROCEDURE mark_full(p_config_name IN VARCHAR2, p_start_ms IN NUMBER, p_end_ms IN NUMBER);

  -- Takes one window out of the span that holds it.
  PROCEDURE mark_open(p_config_name IN VARCHAR2, p_window_ms IN NUMBER, p_window_end_ms IN NUMBER);
END rate_limit_spans;
/
CREATE OR REPLACE PACKAGE BODY rate_limit_spans AS
  PROCEDURE lock_name(p_config_name IN VARCHAR2, p_create IN NUMBER) IS
    l_locked rate_limit_name.config_name%TYPE;
  BEGIN
    IF p_create = 1 THEN
      BEGIN
        -- Insert first: two callers who both find nothing would both insert, and one of them would fail.
        INSERT INTO rate_limit_name (config_name) VALUES (p_config_name);
      EXCEPTION
        WHEN DUP_VAL_ON_INDEX THEN NULL;
      END;
    END IF;
    SELECT n.config_name INTO l_locked FROM rate_limit_name n WHERE n.config_name = p_config_name FOR UPDATE WAIT 10;
  EXCEPTION
    WHEN NO_DATA_FOUND THEN NULL;
  END lock_name;

  FUNCTION present_ms(p_now_ms IN NUMBER) RETURN NUMBER IS
    l_since INTERVAL DAY(9) TO SECOND(6);
  BEGIN
    IF p_now_ms IS NOT NULL THEN
      RETURN p_now_ms;
    END IF;
    l_since := SYS_EXTRACT_UTC(SYSTIMESTAMP) - TIMESTAMP '1970-01-01 00:00:00';
    RETURN CEIL(EXTRACT(DAY FROM l_since) * 86400000 + EXTRACT(HOUR FROM l_since) * 3600000
                + EXTRACT(MINUTE FROM l_since) * 60000 + EXTRACT(SECOND FROM l_since) * 1000);
  END present_ms;

  FUNCTION slot_offset(p_config IN rate_limit_config%ROWTYPE, p_slot_no IN NUMBER) RETURN NUMBER IS
  BEGIN
    RETURN TRUNC(
      (MOD(p_slot_no * p_config.spread_stride, p_config.max_per_window) * 1000 + p_config.spread_phase)
      * p_config.window_size_ms / (p_config.max_per_window * 1000));
  END slot_offset;

  FUNCTION full_until(p_config_name IN VARCHAR2, p_window_ms IN NUMBER) RETURN NUMBER IS
    l_end NUMBER;
  BEGIN
    SELECT f.end_ms
      INTO l_end
      FROM rate_limit_full_span f
     WHERE f.config_name = p_config_name
       AND f.start_ms = (SELECT MAX(g.start_ms)
                           FROM rate_limit_full_span g
                          WHERE g.config_name = p_config_name AND g.start_ms <= p_window_ms);
    RETURN CASE WHEN l_end > p_window_ms THEN l_end END;
  EXCEPTION
    WHEN NO_DATA_FOUND THEN RETURN NULL;
  END full_until;

  PROCEDURE mark_full(p_config_name IN VARCHAR2, p_start_ms IN NUMBER, p_end_ms IN NUMBER) IS
    l_end  NUMBER;
    l_left NUMBER;
  BEGIN
    SELECT GREATEST(p_end_ms, NVL(MAX(f.end_ms), 0))
      INTO l_end
      FROM rate_limit_full_span f
     WHERE f.config_name = p_config_name AND f.start_ms >= p_start_ms AND f.start_ms <= p_end_ms;
    DELETE FROM rate_limit_full_span
     WHERE config_name = p_config_name AND start_ms >= p_start_ms AND start_ms <= p_end_ms;
    SELECT MAX(f.start_ms)
      INTO l_left
      FROM rate_limit_full_span f
     WHERE f.config_name = p_config_name AND f.start_ms < p_start_ms;
    UPDATE rate_limit_full_span
       SET end_ms = GREATEST(end_ms, l_end)
     WHERE config_name = p_config_name AND start_ms = l_left AND end_ms >= p_start_ms;
    IF SQL%ROWCOUNT = 0 THEN
      INSERT INTO rate_limit_full_span (config_name, start_ms, end_ms) VALUES (p_config_name, p_start_ms, l_end);
    END IF;
  END mark_full;

  PROCEDURE mark_open(p_config_name IN VARCHAR2, p_window_ms IN NUMBER, p_window_end_ms IN NUMBER) IS
    l_start NUMBER;
    l_end   NUMBER := full_until(p_config_name, p_window_ms);
  BEGIN
    IF l_end IS NULL THEN
      RETURN;
    END IF;
    DELETE FROM rate_limit_full_span
     WHERE config_name = p_config_name AND start_ms <= p_window_ms AND end_ms = l_end
    RETURNING start_ms INTO l_start;
    IF l_start < p_window_ms THEN
      INSERT INTO rate_limit_full_span (config_name, start_ms, end_ms) VALUES (p_config_name, l_start, p_window_ms);
    END IF;
    IF p_window_end_ms < l_end THEN
      INSERT INTO rate_limit_full_span (config_name, start_ms, end_ms) VALUES (p_config_name, p_window_end_ms, l_end);
    END IF;
  END mark_open;
END rate_limit_spans;
