-- breaking: writes to the queue wait while the indexes are built; on a large table run it outside the window
-- What operators and retention look for, each in the order it is taken. Finished rows are found by their age without
-- reading the table; a change by a person is found among millions of changes by the service.

CREATE INDEX ix_exec_queue_dispatched ON exec_queue (item_type, updated_at) WHERE queue_status = 'DISPATCHED';
CREATE INDEX ix_exec_queue_cancelled ON exec_queue (item_type, updated_at) WHERE queue_status = 'CANCELLED';
CREATE INDEX ix_dispatch_audit_actor ON dispatch_audit_log (item_type, audit_id) WHERE actor IS NOT NULL;
