-- safe: online
-- Assignment of a whole group in one call. Events are served one by one in the order of their times; what is known of a window
-- is read once and kept in memory until all is written at the end. Nothing commits here: the caller does.

CREATE OR REPLACE PACKAGE rate_limit_slots AUTHID DEFINER AS
  TYPE text_list IS TABLE OF VARCHAR2(128 CHAR) INDEX BY PLS_INTEGER;
  TYPE number_list IS TABLE OF NUMBER INDEX BY PLS_INTEGER;

  -- p_draws: a number below 1,000,000 for each event where the spread is random, else one NULL.
  -- p_open_from, p_open_until: open time, sorted, from the earliest requested time to the last horizon, where p_always_open is 0.
  -- p_outcome: 'answered', or 'config_changed' with nothing else where p_version is not the active one.
  -- p_outcomes: for each event 'assigned', 'existing', or 'exhausted' with the horizon in p_scheduled.
  PROCEDURE assign_slots(
    p_config_name     IN  VARCHAR2,
    p_version         IN  NUMBER,
    p_event_ids       IN  text_list,
    p_requested       IN  number_list,
    p_draws           IN  number_list,
    p_always_open     IN  NUMBER,
    p_open_from       IN  number_list,
    p_open_until      IN  number_list,
    p_now_ms          IN  NUMBER,
    p_outcome         OUT VARCHAR2,
    p_searched        OUT NUMBER,
    p_outcomes        OUT text_list,
    p_first_requested OUT number_list,
    p_scheduled       OUT number_list,
    p_windows         OUT number_list,
    p_numbers         OUT number_list);
END rate_limit_slots;
/
CREATE OR REPLACE PACKAGE BODY rate_limit_slots AS
  TYPE place_map IS TABLE OF PLS_INTEGER INDEX BY rate_limit_slot.event_id%TYPE;
  TYPE number_map IS TABLE OF NUMBER INDEX BY rate_limit_slot.event_id%TYPE;

  PROCEDURE assign_slots(
    p_config_name     IN  VARCHAR2,
    p_version         IN  NUMBER,
    p_event_ids       IN  text_list,
    p_requested       IN  number_list,
    p_draws           IN  number_list,
    p_always_open     IN  NUMBER,
    p_open_from       IN  number_list,
    p_open_until      IN  number_list,
    p_now_ms          IN  NUMBER,
    p_outcome         OUT VARCHAR2,
    p_searched        OUT NUMBER,
    p_outcomes        OUT text_list,
    p_first_requested OUT number_list,
    p_scheduled       OUT number_list,
    p_windows         OUT number_list,
    p_numbers         OUT number_list)
  IS
    l_config   rate_limit_config%ROWTYPE;
    l_now      NUMBER;
    l_order    place_map;
    l_key      VARCHAR2(32 CHAR);
    l_place    PLS_INTEGER;
    l_at       PLS_INTEGER := 1;
    l_resume   NUMBER;
    l_last     NUMBER := -1;
    -- Of each window that was looked into, by its start.
    l_counts   number_map;
    l_nexts    number_map;
    l_frees    number_map;
    l_lowest   number_map;
    l_stored   number_map;
    l_touched  number_map;
    l_skips    number_map;
    l_full     number_map;
    -- Numbers that are taken, by window and number, of windows with free numbers below the next one.
    l_taken    number_map;
    l_placed   text_list;
    l_out      number_list;
    l_set      number_list;

    -- As text of one length, so that the order of the keys is that of the numbers.
    FUNCTION key_of(p_ms IN NUMBER) RETURN VARCHAR2 IS
    BEGIN
      RETURN LPAD(TO_CHAR(p_ms), 15, '0');
    END key_of;

    FUNCTION number_key(p_window IN NUMBER, p_number IN NUMBER) RETURN VARCHAR2 IS
    BEGIN
      RETURN key_of(p_window) || LPAD(TO_CHAR(p_number), 8, '0');
    END number_key;

    -- Milliseconds of open time between two instants.
    FUNCTION open_length(p_from IN NUMBER, p_until IN NUMBER) RETURN NUMBER IS
      l_length NUMBER := 0;
    BEGIN
      IF p_always_open = 1 THEN
        RETURN GREATEST(p_until - p_from, 0);
      END IF;
      FOR i IN l_at .. p_open_from.COUNT LOOP
        EXIT WHEN p_open_from(i) >= p_until;
        l_length := l_length + GREATEST(LEAST(p_open_until(i), p_until) - GREATEST(p_open_from(i), p_from), 0);
      END LOOP;
      RETURN l_length;
    END open_length;

    FUNCTION is_open(p_ms IN NUMBER) RETURN BOOLEAN IS
    BEGIN
      RETURN open_length(p_ms, p_ms + 1) = 1;
    END is_open;

    -- The instant that lies p_draw millionths into the open time between two instants.
    FUNCTION drawn_instant(p_from IN NUMBER, p_until IN NUMBER, p_draw IN NUMBER) RETURN NUMBER IS
      l_left NUMBER := TRUNC(open_length(p_from, p_until) * p_draw / 1000000);
      l_span NUMBER;
    BEGIN
      IF p_always_open = 1 THEN
        RETURN p_from + l_left;
      END IF;
      FOR i IN l_at .. p_open_from.COUNT LOOP
        l_span := LEAST(p_open_until(i), p_until) - GREATEST(p_open_from(i), p_from);
        CONTINUE WHEN l_span <= 0;
        IF l_left < l_span THEN
          RETURN GREATEST(p_open_from(i), p_from) + l_left;
        END IF;
        l_left := l_left - l_span;
      END LOOP;
      RETURN NULL;
    END drawn_instant;

    FUNCTION share_of(p_window IN NUMBER, p_from IN NUMBER) RETURN NUMBER IS
    BEGIN
      RETURN TRUNC(l_config.max_per_window * open_length(p_from, p_window + l_config.window_size_ms)
                   / l_config.window_size_ms);
    END share_of;

    -- The first window from this one on that has open time; NULL where p_open knows of none.
    FUNCTION first_open(p_window IN NUMBER) RETURN NUMBER IS
    BEGIN
      IF p_always_open = 1 THEN
        RETURN p_window;
      END IF;
      FOR i IN l_at .. p_open_from.COUNT LOOP
        IF p_open_until(i) > p_window AND p_open_until(i) > p_open_from(i) THEN
          RETURN GREATEST(p_window, p_open_from(i) - MOD(p_open_from(i), l_config.window_size_ms));
        END IF;
      END LOOP;
      RETURN NULL;
    END first_open;

    PROCEDURE read_window(p_window IN NUMBER) IS
      l_window VARCHAR2(32 CHAR) := key_of(p_window);
    BEGIN
      l_stored(l_window) := 0;
      l_counts(l_window) := 0;
      l_nexts(l_window) := 0;
      l_frees(l_window) := 0;
      l_lowest(l_window) := 0;
      IF p_window > l_last THEN
        RETURN;
      END IF;
      SELECT w.slot_count, w.next_slot_no, w.free_below_ms, 1
        INTO l_counts(l_window), l_nexts(l_window), l_frees(l_window), l_stored(l_window)
        FROM rate_limit_window_counter w
       WHERE w.config_name = p_config_name AND w.window_ms = p_window;
      IF l_counts(l_window) < l_nexts(l_window) THEN
        SELECT s.slot_no
          BULK COLLECT INTO l_set
          FROM rate_limit_slot s
         WHERE s.config_name = p_config_name AND s.window_ms = p_window;
        FOR i IN 1 .. l_set.COUNT LOOP
          l_taken(number_key(p_window, l_set(i))) := 1;
        END LOOP;
      END IF;
    EXCEPTION
      WHEN NO_DATA_FOUND THEN NULL;
    END read_window;

    -- The lowest free number of the window whose slot is open, not before p_from and before p_until; NULL where there is none.
    FUNCTION free_number(p_window IN NUMBER, p_from IN NUMBER, p_until IN NUMBER) RETURN NUMBER IS
      l_window  VARCHAR2(32 CHAR) := key_of(p_window);
      l_instant NUMBER;
      l_first   NUMBER := l_nexts(l_window);
    BEGIN
      IF l_counts(l_window) < l_nexts(l_window)
         AND (l_config.spread = 'random' OR p_from - p_window < l_frees(l_window)) THEN
        l_first := l_lowest(l_window);
      END IF;
      FOR n IN l_first .. l_config.max_per_window - 1 LOOP
        IF n < l_nexts(l_window) AND l_taken.EXISTS(number_key(p_window, n)) THEN
          IF n = l_lowest(l_window) THEN
            l_lowest(l_window) := n + 1;
          END IF;
          CONTINUE;
        END IF;
        IF l_config.spread = 'random' THEN
          RETURN n;
        END IF;
        l_instant := p_window + rate_limit_spans.slot_offset(p_config => l_config, p_slot_no => n);
        IF l_instant >= p_from AND l_instant < p_until AND is_open(l_instant) THEN
          RETURN n;
        END IF;
      END LOOP;
      RETURN NULL;
    END free_number;

    PROCEDURE take_number(p_window IN NUMBER, p_number IN NUMBER) IS
      l_window VARCHAR2(32 CHAR) := key_of(p_window);
    BEGIN
      -- From the first hole on, what is taken has to be known by number.
      IF p_number > l_nexts(l_window) AND l_counts(l_window) = l_nexts(l_window) THEN
        FOR n IN l_lowest(l_window) .. l_nexts(l_window) - 1 LOOP
          l_taken(number_key(p_window, n)) := 1;
        END LOOP;
      END IF;
      IF p_number > l_nexts(l_window) THEN
        -- Any time: what was passed over may lie before the time asked for, past the horizon or in closed time.
        l_frees(l_window) := l_config.window_size_ms;
      END IF;
      l_nexts(l_window) := GREATEST(l_nexts(l_window), p_number + 1);
      l_taken(number_key(p_window, p_number)) := 1;
      l_counts(l_window) := l_counts(l_window) + 1;
      l_touched(l_window) := p_window;
    END take_number;

    PROCEDURE answer(p_what IN VARCHAR2, p_window IN NUMBER, p_number IN NUMBER, p_instant IN NUMBER) IS
    BEGIN
      p_outcomes(l_place) := p_what;
      p_first_requested(l_place) := p_requested(l_place);
      p_windows(l_place) := p_window;
      p_numbers(l_place) := p_number;
      p_scheduled(l_place) := p_instant;
    END answer;

    -- The next window to look into: past closed time, and past runs without room, which are noted where they were not known.
    FUNCTION next_window(p_window IN NUMBER, p_horizon IN NUMBER) RETURN NUMBER IS
      l_window NUMBER := p_window;
      l_to     NUMBER;
      l_after_full BOOLEAN := l_full.EXISTS(key_of(p_window - l_config.window_size_ms));
    BEGIN
      LOOP
        l_to := first_open(l_window);
        IF l_to IS NULL OR l_to > p_horizon THEN
          RETURN NULL;
        END IF;
        IF l_to > l_window AND l_after_full THEN
          l_full(key_of(l_window)) := l_to;
        END IF;
        l_window := l_to;
        IF NOT l_skips.EXISTS(key_of(l_window)) THEN
          l_to := NULL;
          IF l_window <= l_last THEN
            l_to := rate_limit_spans.full_until(p_config_name => p_config_name, p_window_ms => l_window);
          END IF;
          l_skips(key_of(l_window)) := NVL(l_to, 0);
        END IF;
        EXIT WHEN l_skips(key_of(l_window)) <= l_window;
        l_window := l_skips(key_of(l_window));
        l_after_full := TRUE;
      END LOOP;
      RETURN l_window;
    END next_window;

    PROCEDURE place_event(p_from IN NUMBER) IS
      l_horizon NUMBER := p_from + l_config.max_delay_ms;
      l_window  NUMBER := NVL(l_resume, p_from - MOD(p_from, l_config.window_size_ms));
      l_start   NUMBER;
      l_until   NUMBER;
      l_number  NUMBER;
    BEGIN
      LOOP
        l_window := next_window(l_window, l_horizon);
        EXIT WHEN l_window IS NULL;
        IF NOT l_counts.EXISTS(key_of(l_window)) THEN
          read_window(l_window);
          p_searched := p_searched + 1;
        END IF;
        l_start := GREATEST(p_from, l_window);
        l_until := LEAST(l_window + l_config.window_size_ms, l_horizon + 1);
        l_number := NULL;
        IF l_counts(key_of(l_window)) < share_of(l_window, l_start) AND open_length(l_start, l_until) > 0 THEN
          l_number := free_number(l_window, l_start, l_until);
        END IF;
        IF l_number IS NOT NULL THEN
          take_number(l_window, l_number);
          answer('assigned', l_window, l_number,
                 CASE l_config.spread
                   WHEN 'random' THEN drawn_instant(l_start, l_until, p_draws(l_place))
                   ELSE l_window + rate_limit_spans.slot_offset(p_config => l_config, p_slot_no => l_number) END);
        END IF;
        -- Full for everybody, not only for those who come in the middle of it.
        IF l_counts(key_of(l_window)) >= share_of(l_window, l_window)
           OR (l_number IS NULL AND l_start = l_window AND l_until = l_window + l_config.window_size_ms) THEN
          l_full(key_of(l_window)) := l_window + l_config.window_size_ms;
          l_skips(key_of(l_window)) := l_window + l_config.window_size_ms;
        END IF;
        l_resume := l_window;
        IF l_number IS NOT NULL THEN
          RETURN;
        END IF;
        l_window := l_window + l_config.window_size_ms;
      END LOOP;
      answer('exhausted', NULL, NULL, l_horizon);
    END place_event;

    PROCEDURE write_slots IS
    BEGIN
      FORALL i IN INDICES OF l_placed
        INSERT INTO rate_limit_slot (
          config_name, event_id, window_ms, slot_no, window_capacity, config_version, requested_ms, scheduled_ms)
        VALUES (
          p_config_name, p_event_ids(i), p_windows(i), p_numbers(i), l_config.max_per_window, p_version,
          p_first_requested(i), p_scheduled(i));
    END write_slots;

    PROCEDURE write_windows IS
      l_window VARCHAR2(32 CHAR) := l_touched.FIRST;
    BEGIN
      WHILE l_window IS NOT NULL LOOP
        IF l_stored(l_window) = 1 THEN
          UPDATE rate_limit_window_counter
             SET slot_count = l_counts(l_window), next_slot_no = l_nexts(l_window), free_below_ms = l_frees(l_window)
           WHERE config_name = p_config_name AND window_ms = l_touched(l_window);
        ELSE
          INSERT INTO rate_limit_window_counter (config_name, window_ms, slot_count, next_slot_no, free_below_ms)
          VALUES (p_config_name, l_touched(l_window), l_counts(l_window), l_nexts(l_window), l_frees(l_window));
        END IF;
        l_window := l_touched.NEXT(l_window);
      END LOOP;
    END write_windows;

    -- Stretches that touch are marked as one.
    PROCEDURE write_spans IS
      l_span  VARCHAR2(32 CHAR) := l_full.FIRST;
      l_start NUMBER;
      l_end   NUMBER;
    BEGIN
      WHILE l_span IS NOT NULL LOOP
        IF l_end IS NULL OR TO_NUMBER(l_span) > l_end THEN
          IF l_end IS NOT NULL THEN
            rate_limit_spans.mark_full(p_config_name => p_config_name, p_start_ms => l_start, p_end_ms => l_end);
          END IF;
          l_start := TO_NUMBER(l_span);
        END IF;
        l_end := GREATEST(NVL(l_end, 0), l_full(l_span));
        l_span := l_full.NEXT(l_span);
      END LOOP;
      IF l_end IS NOT NULL THEN
        rate_limit_spans.mark_full(p_config_name => p_config_name, p_start_ms => l_start, p_end_ms => l_end);
      END IF;
    END write_spans;

    -- Events with a slot are answered with it; the others are put in order.
    PROCEDURE sort_events IS
    BEGIN
      FOR i IN 1 .. p_event_ids.COUNT LOOP
        l_place := i;
        BEGIN
          SELECT s.requested_ms, s.scheduled_ms, s.window_ms, s.slot_no, 'existing'
            INTO p_first_requested(i), p_scheduled(i), p_windows(i), p_numbers(i), p_outcomes(i)
            FROM rate_limit_slot s
           WHERE s.config_name = p_config_name AND s.event_id = p_event_ids(i);
        EXCEPTION
          WHEN NO_DATA_FOUND THEN
            l_order(key_of(GREATEST(p_requested(i), l_now)) || LPAD(TO_CHAR(i), 8, '0')) := i;
        END;
      END LOOP;
    END sort_events;
  BEGIN
    p_searched := 0;
    p_outcome := 'config_changed';
    rate_limit_spans.lock_name(p_config_name => p_config_name, p_create => 0);
    BEGIN
      SELECT c.*
        INTO l_config
        FROM rate_limit_config c
       WHERE c.config_name = p_config_name AND c.version = p_version AND c.is_active = 1;
    EXCEPTION
      WHEN NO_DATA_FOUND THEN RETURN;
    END;
    p_outcome := 'answered';
    l_now := rate_limit_spans.present_ms(p_now_ms);
    sort_events;
    SELECT NVL(MAX(w.window_ms), -1) INTO l_last FROM rate_limit_window_counter w WHERE w.config_name = p_config_name;

    l_key := l_order.FIRST;
    WHILE l_key IS NOT NULL LOOP
      l_place := l_order(l_key);
      -- Nobody asks for open time before this event any more; its window may begin a day before it.
      WHILE l_at < p_open_until.COUNT AND p_open_until(l_at) < TO_NUMBER(SUBSTR(l_key, 1, 15)) - 86400000 LOOP
        l_at := l_at + 1;
      END LOOP;
      place_event(TO_NUMBER(SUBSTR(l_key, 1, 15)));
      IF p_outcomes(l_place) = 'assigned' THEN
        l_placed(l_place) := p_outcomes(l_place);
      END IF;
      -- Who asks for the same time finds no room before the window of the one before; who asks for another begins anew.
      IF l_order.NEXT(l_key) IS NULL OR SUBSTR(l_order.NEXT(l_key), 1, 15) <> SUBSTR(l_key, 1, 15) THEN
        l_resume := NULL;
      END IF;
      l_key := l_order.NEXT(l_key);
    END LOOP;
    write_slots;
    write_windows;
    write_spans;
  END assign_slots;
END rate_limit_slots;
