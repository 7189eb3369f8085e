-- Give back items whose start failed: READY with one more retry counted, or EXHAUSTED after the last one. The next try
-- waits for a cycle, then two, four and so on up to five minutes, a quarter more or less: without the wait an item that
-- fails at once would use up its retries within one cycle.
-- In: item_type, token, item_ids[], errors[].
-- Out: changed[] and statuses[], the item_id and the new status of each row changed.  Uses pk_exec_queue.
BEGIN
  dispatch_settling.return_to_ready(
    p_item_type => :item_type, p_token => :token, p_item_ids => :item_ids, p_errors => :errors,
    p_changed => :changed, p_statuses => :statuses);
END;
