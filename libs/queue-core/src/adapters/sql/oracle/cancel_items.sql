-- Take READY items out for good, and write down who wanted it and why.
-- In: item_type, item_ids[] (in order), reason, actor.  Out: changed[], the item_id of each row changed.  Uses pk_exec_queue.
BEGIN
  dispatch_operations.cancel_items(
    p_item_type => :item_type, p_item_ids => :item_ids, p_reason => :reason, p_actor => :actor, p_changed => :changed);
END;
