-- Tell for items that are in the store whether they are the same as those given.
-- In: $1 item_type[], $2 item_id[], $3 context_json[], $4 context_version[].
-- Out: item_type, item_id, outcome ('duplicate', 'conflict' or 'unseen'), in the order of the input.  Uses pk_exec_context.
SELECT i.item_type,
       i.item_id,
       CASE
         WHEN c.item_id IS NULL THEN 'unseen'
         WHEN c.context_json = i.context_json AND c.context_version = i.context_version THEN 'duplicate'
         ELSE 'conflict'
       END AS outcome
  FROM unnest($1::text[], $2::text[], $3::text[], $4::integer[])
    WITH ORDINALITY AS i (item_type, item_id, context_json, context_version, position)
  LEFT JOIN exec_context c USING (item_type, item_id)
 ORDER BY i.position;
