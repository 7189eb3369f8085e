-- Set aside claimed items that no retry can help; an operator decides about them.
-- In: item_type, token, item_ids[], errors[].
-- Out: changed[], the item_id of each row changed.  Uses pk_exec_queue.
BEGIN
  dispatch_settling.exhaust_items(
    p_item_type => :item_type, p_token => :token, p_item_ids => :item_ids, p_errors => :errors,
    p_changed => :changed);
END;
