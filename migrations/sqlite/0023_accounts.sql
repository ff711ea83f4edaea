-- Who made it, by the key's name, and why (X-Reason of the request); NULL of what is older, and where nobody said.
ALTER TABLE jobs ADD COLUMN created_by_name TEXT;
ALTER TABLE jobs ADD COLUMN reason TEXT;
ALTER TABLE transfers ADD COLUMN created_by_name TEXT;
ALTER TABLE transfers ADD COLUMN reason TEXT;
ALTER TABLE datasets ADD COLUMN created_by_name TEXT;
ALTER TABLE datasets ADD COLUMN reason TEXT;
ALTER TABLE orders ADD COLUMN reason TEXT;

-- What people write on a transfer that has ended, and what they say of the part.
ALTER TABLE transfers ADD COLUMN version INTEGER NOT NULL DEFAULT 1;
ALTER TABLE transfers ADD COLUMN notes TEXT NOT NULL DEFAULT '';
ALTER TABLE transfers ADD COLUMN verdict TEXT NOT NULL DEFAULT 'undecided' CHECK (verdict IN ('undecided', 'good', 'scrap'));
CREATE TRIGGER transfers_retagged AFTER UPDATE OF tags ON transfers BEGIN
  DELETE FROM tags WHERE owner = OLD.id;
  INSERT INTO tags (owner, name, value) SELECT NEW.id, key, value FROM json_each(NEW.tags);
END;

-- All that was done for a job order.
ALTER TABLE audit ADD COLUMN job_order_id TEXT AS (line ->> '$.job_order_id');
CREATE INDEX audit_job_order ON audit (job_order_id, number) WHERE job_order_id IS NOT NULL;

-- Of a shift.
CREATE INDEX jobs_finished ON jobs (finished_at, id) WHERE finished_at IS NOT NULL;
CREATE INDEX transfers_finished ON transfers (finished_at, id) WHERE finished_at IS NOT NULL;

-- Tags of data sets stand apart: what was measured has the id of its transfer.
CREATE TABLE dataset_tags (
  owner TEXT NOT NULL,
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (owner, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX dataset_tags_value ON dataset_tags (name, value, owner);
DROP TRIGGER datasets_tagged;
DROP TRIGGER datasets_retagged;
DROP TRIGGER datasets_untagged;
DELETE FROM tags WHERE owner IN (SELECT id FROM datasets);
INSERT INTO tags (owner, name, value)
  SELECT transfers.id, t.key, t.value FROM transfers JOIN datasets ON datasets.id = transfers.id, json_each(transfers.tags) t;
INSERT INTO dataset_tags (owner, name, value) SELECT datasets.id, t.key, t.value FROM datasets, json_each(datasets.tags) t;
CREATE TRIGGER datasets_tagged AFTER INSERT ON datasets BEGIN
  INSERT INTO dataset_tags (owner, name, value) SELECT NEW.id, key, value FROM json_each(NEW.tags);
END;
CREATE TRIGGER datasets_retagged AFTER UPDATE OF tags ON datasets BEGIN
  DELETE FROM dataset_tags WHERE owner = OLD.id;
  INSERT INTO dataset_tags (owner, name, value) SELECT NEW.id, key, value FROM json_each(NEW.tags);
END;
CREATE TRIGGER datasets_untagged AFTER DELETE ON datasets BEGIN DELETE FROM dataset_tags WHERE owner = OLD.id; END;
