-- Turn the kill switch of one item type, and write down who did it and why; no change leaves no trace.
-- In: item_type, enabled (1 or 0), reason, actor.  Out: outcome ('changed', 'unchanged' or 'unknown').
-- Uses pk_exec_rate_config.
BEGIN
  dispatch_settings.switch_dispatch(
    p_item_type => :item_type, p_enabled => :enabled, p_reason => :reason, p_actor => :actor, p_outcome => :outcome);
END;
