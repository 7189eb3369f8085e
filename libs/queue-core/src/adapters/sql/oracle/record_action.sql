-- Write down what a person did to an item type that changed no row.
-- In: item_type, action, reason, actor.  Out: nothing.
INSERT INTO dispatch_audit_log (item_type, action, detail, actor)
VALUES (:item_type, :action, :reason, :actor)
