-- Write down how a dispatch cycle ended.
-- In: $1 item_type, $2 batch_id, $3 detail.  Out: nothing.
INSERT INTO dispatch_audit_log (batch_id, item_type, action, detail)
VALUES ($2, $1, 'BATCH_COMPLETE', $3);
