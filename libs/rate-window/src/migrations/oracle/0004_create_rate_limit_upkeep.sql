-- safe: online
-- Everything but assignment: slots that are given back or long past, versions of configs, and what the gauges show.
-- Nothing commits here: the caller does.

CREATE OR REPLACE PACKAGE rate_limit_upkeep AUTHID DEFINER AS
  TYPE text_list IS TABLE OF VARCHAR2(128 CHAR) INDEX BY PLS_INTEGER;
  TYPE number_list IS TABLE OF NUMBER INDEX BY PLS_INTEGER;

  -- p_outcome: 'released' or 'past' with the slot, or 'not_found'.
  PROCEDURE release_slot(
    p_config_name IN  VARCHAR2,
    p_event_id    IN  VARCHAR2,
    p_now_ms      IN  NUMBER,
    p_outcome     OUT VARCHAR2,
    p_requested   OUT NUMBER,
    p_scheduled   OUT NUMBER,
    p_window      OUT NUMBER,
    p_number      OUT NUMBER);

  -- Slots of windows that ended p_min_age_ms ago or earlier, oldest first; rows that another session holds are left for later.
  PROCEDURE prune_slots(
    p_config_name IN  VARCHAR2,
    p_min_age_ms  IN  NUMBER,
    p_max_slots   IN  NUMBER,
    p_now_ms      IN  NUMBER,
    p_slots       OUT NUMBER,
    p_windows     OUT NUMBER);

  -- p_outcome: 'activated' or 'unchanged' with the active version, or 'window_size_in_use' with the end of the last window
  -- that holds slots and still lies ahead.
  PROCEDURE activate_config(
    p_config_name     IN  VARCHAR2,
    p_max_per_window  IN  NUMBER,
    p_window_size_ms  IN  NUMBER,
    p_max_delay_ms    IN  NUMBER,
    p_spread          IN  VARCHAR2,
    p_spread_stride   IN  NUMBER,
    p_calendar        IN  CLOB,
    p_changed_by      IN  VARCHAR2,
    p_now_ms          IN  NUMBER,
    p_outcome         OUT VARCHAR2,
    p_active_version  OUT NUMBER,
    p_last_window_end OUT NUMBER);

  PROCEDURE measure_load(
    p_config_name    IN  VARCHAR2,
    p_window_size_ms IN  NUMBER,
    p_now_ms         IN  NUMBER,
    p_now            OUT NUMBER,
    p_current        OUT NUMBER,
    p_taken          OUT NUMBER,
    p_furthest       OUT NUMBER);
END rate_limit_upkeep;
/
CREATE OR REPLACE PACKAGE BODY rate_limit_upkeep AS
  PROCEDURE release_slot(
    p_config_name IN  VARCHAR2,
    p_event_id    IN  VARCHAR2,
    p_now_ms      IN  NUMBER,
    p_outcome     OUT VARCHAR2,
    p_requested   OUT NUMBER,
    p_scheduled   OUT NUMBER,
    p_window      OUT NUMBER,
    p_number      OUT NUMBER)
  IS
    l_config rate_limit_config%ROWTYPE;
    l_count  NUMBER;
    l_free   NUMBER;
  BEGIN
    rate_limit_spans.lock_name(p_config_name => p_config_name, p_create => 0);
    p_outcome := 'not_found';
    BEGIN
      SELECT s.requested_ms, s.scheduled_ms, s.window_ms, s.slot_no
        INTO p_requested, p_scheduled, p_window, p_number
        FROM rate_limit_slot s
       WHERE s.config_name = p_config_name AND s.event_id = p_event_id;
    EXCEPTION
      WHEN NO_DATA_FOUND THEN RETURN;
    END;
    p_outcome := 'past';
    IF p_scheduled <= rate_limit_spans.present_ms(p_now_ms) THEN
      RETURN;
    END IF;

    p_outcome := 'released';
    SELECT c.* INTO l_config FROM rate_limit_config c WHERE c.active_name = p_config_name;
    l_free := 1 + rate_limit_spans.slot_offset(p_config => l_config, p_slot_no => p_number);
    DELETE FROM rate_limit_slot WHERE config_name = p_config_name AND event_id = p_event_id;
    UPDATE rate_limit_window_counter
       SET slot_count = slot_count - 1, free_below_ms = GREATEST(free_below_ms, l_free)
     WHERE config_name = p_config_name AND window_ms = p_window
    RETURNING slot_count INTO l_count;
    IF l_count = 0 THEN
      DELETE FROM rate_limit_window_counter WHERE config_name = p_config_name AND window_ms = p_window;
    END IF;
    -- The window has room again, unless it holds more than a capacity that was lowered since.
    IF l_count < l_config.max_per_window THEN
      rate_limit_spans.mark_open(
        p_config_name => p_config_name, p_window_ms => p_window, p_window_end_ms => p_window + l_config.window_size_ms);
    END IF;
  END release_slot;

  PROCEDURE prune_slots(
    p_config_name IN  VARCHAR2,
    p_min_age_ms  IN  NUMBER,
    p_max_slots   IN  NUMBER,
    p_now_ms      IN  NUMBER,
    p_slots       OUT NUMBER,
    p_windows     OUT NUMBER)
  IS
    l_until   NUMBER;
    l_ids     text_list;
    l_windows number_list;

    CURSOR c_slots IS
      SELECT s.event_id
        FROM rate_limit_slot s
       WHERE s.config_name = p_config_name AND s.window_ms <= l_until
       ORDER BY s.window_ms, s.slot_no
         FOR UPDATE OF s.slot_no SKIP LOCKED;
    CURSOR c_windows IS
      SELECT w.window_ms
        FROM rate_limit_window_counter w
       WHERE w.config_name = p_config_name AND w.window_ms <= l_until
         AND NOT EXISTS (SELECT 1
                           FROM rate_limit_slot s
                          WHERE s.config_name = p_config_name AND s.window_ms = w.window_ms)
       ORDER BY w.window_ms
         FOR UPDATE OF w.slot_count SKIP LOCKED;
  BEGIN
    -- The longest window that this name ever had: earlier versions may have had another size.
    SELECT MAX(c.window_size_ms) INTO l_until FROM rate_limit_config c WHERE c.config_name = p_config_name;
    l_until := rate_limit_spans.present_ms(p_now_ms) - p_min_age_ms - l_until;
    OPEN c_slots;
    FETCH c_slots BULK COLLECT INTO l_ids LIMIT p_max_slots;
    CLOSE c_slots;
    FORALL i IN 1 .. l_ids.COUNT
      DELETE FROM rate_limit_slot WHERE config_name = p_config_name AND event_id = l_ids(i);
    p_slots := l_ids.COUNT;
    OPEN c_windows;
    FETCH c_windows BULK COLLECT INTO l_windows LIMIT p_max_slots;
    CLOSE c_windows;
    FORALL i IN 1 .. l_windows.COUNT
      DELETE FROM rate_limit_window_counter WHERE config_name = p_config_name AND window_ms = l_windows(i);
    p_windows := l_windows.COUNT;
    DELETE FROM rate_limit_full_span
     WHERE config_name = p_config_name AND start_ms <= l_until AND end_ms <= l_until AND ROWNUM <= p_max_slots;
  END prune_slots;

  PROCEDURE activate_config(
    p_config_name     IN  VARCHAR2,
    p_max_per_window  IN  NUMBER,
    p_window_size_ms  IN  NUMBER,
    p_max_delay_ms    IN  NUMBER,
    p_spread          IN  VARCHAR2,
    p_spread_stride   IN  NUMBER,
    p_calendar        IN  CLOB,
    p_changed_by      IN  VARCHAR2,
    p_now_ms          IN  NUMBER,
    p_outcome         OUT VARCHAR2,
    p_active_version  OUT NUMBER,
    p_last_window_end OUT NUMBER)
  IS
    l_old   rate_limit_config%ROWTYPE;
    l_from  NUMBER;
    l_start NUMBER;
    l_end   NUMBER;
    l_full  number_list;

    FUNCTION is_same_calendar RETURN BOOLEAN IS
    BEGIN
      IF l_old.calendar IS NULL OR p_calendar IS NULL THEN
        RETURN l_old.calendar IS NULL AND p_calendar IS NULL;
      END IF;
      RETURN DBMS_LOB.COMPARE(l_old.calendar, p_calendar) = 0;
    END is_same_calendar;
  BEGIN
    rate_limit_spans.lock_name(p_config_name => p_config_name, p_create => 1);
    l_from := rate_limit_spans.present_ms(p_now_ms) - p_window_size_ms;
    BEGIN
      SELECT c.* INTO l_old FROM rate_limit_config c WHERE c.active_name = p_config_name;
      IF l_old.max_per_window = p_max_per_window AND l_old.window_size_ms = p_window_size_ms
         AND l_old.max_delay_ms = p_max_delay_ms AND l_old.spread = p_spread AND is_same_calendar THEN
        p_outcome := 'unchanged';
        p_active_version := l_old.version;
        RETURN;
      END IF;
    EXCEPTION
      WHEN NO_DATA_FOUND THEN NULL;
    END;

    IF l_old.window_size_ms <> p_window_size_ms THEN
      l_start := rate_limit_spans.present_ms(p_now_ms) - l_old.window_size_ms;
      SELECT MAX(w.window_ms)
        INTO p_last_window_end
        FROM rate_limit_window_counter w
       WHERE w.config_name = p_config_name AND w.window_ms > l_start;
      IF p_last_window_end IS NOT NULL THEN
        p_outcome := 'window_size_in_use';
        p_last_window_end := p_last_window_end + l_old.window_size_ms;
        p_active_version := l_old.version;
        RETURN;
      END IF;
    END IF;

    p_outcome := 'activated';
    SELECT NVL(MAX(c.version), 0) INTO p_active_version FROM rate_limit_config c WHERE c.config_name = p_config_name;
    p_active_version := p_active_version + 1;
    UPDATE rate_limit_config
       SET is_active = 0, deactivated_at = SYS_EXTRACT_UTC(SYSTIMESTAMP)
     WHERE config_name = p_config_name AND is_active = 1;
    l_start := MOD((p_active_version - 1) * 618, 1000);
    INSERT INTO rate_limit_config (
      config_name, version, max_per_window, window_size_ms, max_delay_ms, spread, spread_stride, spread_phase, calendar,
      is_active, created_by)
    VALUES (
      p_config_name, p_active_version, p_max_per_window, p_window_size_ms, p_max_delay_ms, p_spread, p_spread_stride,
      l_start, p_calendar, 1, p_changed_by);

    -- Which windows have room depends on the capacity and the calendar: a raised capacity reopens windows, a lowered one
    -- closes some. Windows that only a calendar makes full are found when somebody comes by.
    DELETE FROM rate_limit_full_span WHERE config_name = p_config_name;
    IF l_old.window_size_ms = p_window_size_ms THEN
      SELECT w.window_ms
        BULK COLLECT INTO l_full
        FROM rate_limit_window_counter w
       WHERE w.config_name = p_config_name AND w.window_ms > l_from AND w.slot_count >= p_max_per_window
       ORDER BY w.window_ms;
      FOR i IN 1 .. l_full.COUNT LOOP
        IF l_end IS NULL OR l_full(i) > l_end THEN
          l_start := l_full(i);
        END IF;
        l_end := l_full(i) + p_window_size_ms;
        IF i = l_full.COUNT OR l_full(i + 1) > l_end THEN
          rate_limit_spans.mark_full(p_config_name => p_config_name, p_start_ms => l_start, p_end_ms => l_end);
        END IF;
      END LOOP;
    END IF;
    -- The numbers that are free now lie at other offsets than those they were passed over for.
    UPDATE rate_limit_window_counter
       SET free_below_ms = p_window_size_ms
     WHERE config_name = p_config_name AND window_ms > l_from AND slot_count < next_slot_no;
  END activate_config;

  PROCEDURE measure_load(
    p_config_name    IN  VARCHAR2,
    p_window_size_ms IN  NUMBER,
    p_now_ms         IN  NUMBER,
    p_now            OUT NUMBER,
    p_current        OUT NUMBER,
    p_taken          OUT NUMBER,
    p_furthest       OUT NUMBER)
  IS
    l_current NUMBER;
  BEGIN
    p_now := rate_limit_spans.present_ms(p_now_ms);
    l_current := p_now - MOD(p_now, p_window_size_ms);
    p_current := l_current;
    SELECT NVL(MAX(w.slot_count), 0)
      INTO p_taken
      FROM rate_limit_window_counter w
     WHERE w.config_name = p_config_name AND w.window_ms = l_current;
    SELECT MAX(w.window_ms)
      INTO p_furthest
      FROM rate_limit_window_counter w
     WHERE w.config_name = p_config_name AND w.window_ms >= l_current;
  END measure_load;
END rate_limit_upkeep;
