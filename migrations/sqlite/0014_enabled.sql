-- A webhook of a restored copy tells nobody until an administrator says so.
ALTER TABLE webhooks ADD COLUMN enabled INTEGER NOT NULL DEFAULT 1 CHECK (enabled IN (0, 1));

-- The list of data sets is sorted by (created_at, id), like the others.
CREATE INDEX datasets_newest ON datasets (created_at, id);
