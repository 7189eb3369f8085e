-- Tell for an item that is in the store whether it is the same as the one given. Sent once for many items.
-- In: item_type, item_id, context_json, context_version.
-- Out: outcome ('duplicate', 'conflict' or 'unseen').  Uses pk_exec_context.
BEGIN
  dispatch_items.compare_context(
    p_item_type => :item_type, p_item_id => :item_id, p_context_json => :context_json,
    p_context_version => :context_version, p_outcome => :outcome);
END;
