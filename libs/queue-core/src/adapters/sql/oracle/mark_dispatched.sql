-- Finish items whose exec workflow exists, if this claim still holds them.
-- In: item_type, token, item_ids[], exec_workflow_ids[], actions[] ('DISPATCHED' or 'ALREADY_STARTED').
-- Out: changed[], the item_id of each row changed.  Uses pk_exec_queue.
BEGIN
  dispatch_settling.mark_dispatched(
    p_item_type => :item_type, p_token => :token, p_item_ids => :item_ids,
    p_exec_workflow_ids => :exec_workflow_ids, p_actions => :actions, p_changed => :changed);
END;
