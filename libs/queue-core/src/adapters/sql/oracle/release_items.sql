-- Give back items for a reason that is not their own; no retry is counted, the reason is kept.
-- In: item_type, token, item_ids[], reason.
-- Out: changed[], the item_id of each row changed.  Uses pk_exec_queue.
BEGIN
  dispatch_settling.release_items(
    p_item_type => :item_type, p_token => :token, p_item_ids => :item_ids, p_reason => :reason,
    p_changed => :changed);
END;
