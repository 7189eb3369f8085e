-- Write down how a dispatch cycle ended.
-- In: item_type, batch_id, detail.  Out: nothing.
INSERT INTO dispatch_audit_log (batch_id, item_type, action, detail)
VALUES (:batch_id, :item_type, 'BATCH_COMPLETE', :detail)
