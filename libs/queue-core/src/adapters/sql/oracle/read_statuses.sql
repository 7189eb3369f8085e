-- Tell the status of some items.
-- In: item_type, item_ids[].  Out: statuses[], as many as items, null where there is no such item.  Uses pk_exec_queue.
BEGIN
  dispatch_operations.read_statuses(p_item_type => :item_type, p_item_ids => :item_ids, p_statuses => :statuses);
END;
