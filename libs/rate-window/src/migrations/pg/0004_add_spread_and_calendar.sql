-- breaking: stop slot-assigner first; the functions it calls get other parameters in the files that follow

alter table rate_limit_config
  -- 'even': by slot number over equal cells. 'random': by a number that the caller draws for the event.
  add column spread    text not null default 'even',
  -- Time zone, hours, holidays and blackouts as they were stated; null is always open. Callers make open spans of it.
  add column calendar  jsonb,
  add constraint ck_rate_limit_config_name check (length(config_name) between 1 and 64),
  add constraint ck_rate_limit_config_spread check (spread in ('even', 'random'));

alter table rate_limit_slot
  add constraint ck_rate_limit_slot_event check (length(event_id) between 1 and 128);

comment on table rate_limit_full_span is
  'Runs of windows without room: full ones, and the closed time between them. A hint; the counters are the truth.';

drop function rate_limit_assign(text, integer, text[], bigint[]);
drop function rate_limit_take(rate_limit_config, bigint, bigint, bigint, integer, integer);
drop function rate_limit_activate(text, integer, bigint, bigint, integer, text);
drop function rate_limit_first_open(text, bigint);
drop function rate_limit_offset(rate_limit_config, integer);
