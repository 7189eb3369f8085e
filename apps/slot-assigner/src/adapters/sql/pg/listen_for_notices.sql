-- Hear on this connection what nodes announce.
-- In: nothing.  Out: nothing.
listen sluice_rate_limit
