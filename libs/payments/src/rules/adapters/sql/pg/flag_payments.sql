-- Write remarks on payments; the first of a kind stands.
-- In: $1 payment_id[], $2 reason_code[], $3 reason_detail[].  Out: nothing.  Uses payment_flags_pkey.
INSERT INTO payment_flags (payment_id, reason_code, reason_detail)
SELECT * FROM unnest($1::text[], $2::text[], $3::text[]) ORDER BY 1, 2
    ON CONFLICT DO NOTHING
