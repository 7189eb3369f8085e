-- Turn the kill switch of one item type, and write down who did it and why; no change leaves no trace. Only the switch
-- is written, so that it never undoes another change of the same moment.
-- In: $1 item_type, $2 enabled, $3 reason, $4 actor.  Out: changed, one row if the item type has a config.
-- Uses exec_rate_config_pkey.
WITH known AS MATERIALIZED (
  SELECT item_type FROM exec_rate_config WHERE item_type = $1 FOR UPDATE
),
switched AS (
  UPDATE exec_rate_config c
     SET enabled = $2::boolean,
         updated_at = now()
    FROM known k
   WHERE c.item_type = k.item_type AND c.enabled <> $2::boolean
  RETURNING c.item_type
),
audited AS (
  INSERT INTO dispatch_audit_log (item_type, action, detail, actor)
  SELECT item_type, CASE WHEN $2::boolean THEN 'DISPATCH_RESUMED' ELSE 'DISPATCH_PAUSED' END, $3::text, $4::text
    FROM switched
)
SELECT EXISTS (SELECT FROM switched) AS changed FROM known;
