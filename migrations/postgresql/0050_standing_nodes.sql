-- Nodes that stand by: where they reach the one that holds the store, and where each of them is reached.
ALTER TABLE holder ADD COLUMN address text COLLATE "C";  -- NULL: it takes nobody's connections
ALTER TABLE holder ADD COLUMN address_epoch bigint;      -- the holder whose it is
ALTER TABLE nodes ADD COLUMN address text COLLATE "C";   -- NULL: it computes jobs
