-- Write down what a person did to an item type that changed no row.
-- In: $1 item_type, $2 action, $3 reason, $4 actor.  Out: nothing.
INSERT INTO dispatch_audit_log (item_type, action, detail, actor)
VALUES ($1, $2, $3, $4);
