-- Take up to :max_items items of one type under a token: claims that went stale, and READY items that are due.
-- In: item_type, token, max_items.
-- Out: claimed_at (the instant that the claimed rows bear, as text), claimed (how many), reclaimed[] (those taken over from a
--   lost claim), exhausted[] (set aside, not claimed). What was claimed is read by read_claimed_items, before the commit.
-- Uses ix_exec_queue_claimed, ix_exec_queue_ready, pk_exec_queue.
BEGIN
  dispatch_claims.claim_batch(
    p_item_type => :item_type, p_token => :token, p_max_items => :max_items, p_claimed_at => :claimed_at,
    p_claimed => :claimed, p_reclaimed => :reclaimed, p_exhausted => :exhausted);
END;
