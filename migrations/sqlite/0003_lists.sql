-- Lists that can be searched, sorted and filtered: rows of results become short, and what is asked by stands in indexes.

-- A result's document leaves its row, so that a list of results never reads documents.
CREATE TABLE result_documents (
  result_id TEXT PRIMARY KEY REFERENCES results (id) ON DELETE CASCADE,
  document TEXT NOT NULL
) STRICT;
INSERT INTO result_documents (result_id, document) SELECT id, document FROM results;

-- What requests carry for manufacturing systems (ISA-95).
ALTER TABLE jobs ADD COLUMN job_order_id TEXT GENERATED ALWAYS AS (json_extract(request, '$.job_order_id')) VIRTUAL;
ALTER TABLE jobs ADD COLUMN work_master_id TEXT GENERATED ALWAYS AS (json_extract(request, '$.work_master_id')) VIRTUAL;
ALTER TABLE jobs ADD COLUMN equipment_id TEXT GENERATED ALWAYS AS (json_extract(request, '$.equipment_id')) VIRTUAL;
ALTER TABLE transfers ADD COLUMN job_order_id TEXT GENERATED ALWAYS AS (json_extract(request, '$.job_order_id')) VIRTUAL;
ALTER TABLE transfers ADD COLUMN work_master_id TEXT
  GENERATED ALWAYS AS (json_extract(request, '$.work_master_id')) VIRTUAL;
ALTER TABLE transfers ADD COLUMN equipment_id TEXT GENERATED ALWAYS AS (json_extract(request, '$.equipment_id')) VIRTUAL;
ALTER TABLE results ADD COLUMN job_order_id TEXT;
ALTER TABLE results ADD COLUMN work_master_id TEXT;
ALTER TABLE results ADD COLUMN equipment_id TEXT;

-- What people write on a result, and what lists show of its document: an object of members, among them "metrics".
ALTER TABLE results ADD COLUMN version INTEGER NOT NULL DEFAULT 1;
ALTER TABLE results ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0 CHECK (pinned IN (0, 1));
ALTER TABLE results ADD COLUMN label TEXT NOT NULL DEFAULT '';
ALTER TABLE results ADD COLUMN summary TEXT NOT NULL DEFAULT '{}';
ALTER TABLE results ADD COLUMN notes TEXT NOT NULL DEFAULT '';
UPDATE results SET
  job_order_id = json_extract(document, '$.job_order_id'),
  work_master_id = json_extract(document, '$.work_master_id'),
  equipment_id = json_extract(document, '$.equipment_id'),
  summary = CASE kind
    WHEN 'trajectory' THEN json_object(
      'method', document -> '$.method', 'status', document -> '$.status',
      'metrics', json_object( -- as they are written, with every digit
        'duration', document -> '$.duration',
        'minimum_duration', document -> '$.minimum_duration',
        'energy', document -> '$.energy.total', 'cost', document -> '$.cost.value'))
    WHEN 'simulation' THEN json_object(
      'method', document -> '$.method',
      'metrics', json_object(
        'duration', document -> '$.duration', 'steps', document -> '$.steps',
        'drift', document -> '$.energy.drift'))
    ELSE '{"metrics":{}}' END;
ALTER TABLE results DROP COLUMN document;

-- Tags of jobs, results, transfers and data sets, whose ids never meet.
CREATE TABLE tags (
  owner TEXT NOT NULL,
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (owner, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX tags_value ON tags (name, value, owner);

-- Texts of a result's summary.
CREATE TABLE result_members (
  result_id TEXT NOT NULL REFERENCES results (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (result_id, name, value)
) STRICT, WITHOUT ROWID;
CREATE INDEX result_members_value ON result_members (value, name, result_id);

CREATE TABLE result_metrics (
  result_id TEXT NOT NULL REFERENCES results (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  value REAL NOT NULL,
  PRIMARY KEY (result_id, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX result_metrics_value ON result_metrics (name, value, result_id);

INSERT INTO tags (owner, name, value) SELECT jobs.id, t.key, t.value FROM jobs, json_each(jobs.tags) t;
INSERT INTO tags (owner, name, value) SELECT results.id, t.key, t.value FROM results, json_each(results.tags) t;
INSERT INTO tags (owner, name, value) SELECT transfers.id, t.key, t.value FROM transfers, json_each(transfers.tags) t;
INSERT INTO tags (owner, name, value) SELECT datasets.id, t.key, t.value FROM datasets, json_each(datasets.tags) t;
INSERT INTO result_members (result_id, name, value)
  SELECT results.id, m.key, m.value FROM results, json_each(results.summary) m WHERE m.type = 'text';
INSERT INTO result_metrics (result_id, name, value)
  SELECT results.id, m.key, m.value FROM results, json_each(results.summary, '$.metrics') m WHERE m.type IN ('integer', 'real');

CREATE TRIGGER jobs_tagged AFTER INSERT ON jobs BEGIN
  INSERT INTO tags (owner, name, value) SELECT NEW.id, key, value FROM json_each(NEW.tags);
END;
CREATE TRIGGER transfers_tagged AFTER INSERT ON transfers BEGIN
  INSERT INTO tags (owner, name, value) SELECT NEW.id, key, value FROM json_each(NEW.tags);
END;
CREATE TRIGGER datasets_tagged AFTER INSERT ON datasets BEGIN
  INSERT INTO tags (owner, name, value) SELECT NEW.id, key, value FROM json_each(NEW.tags);
END;
CREATE TRIGGER results_described AFTER INSERT ON results BEGIN
  INSERT INTO tags (owner, name, value) SELECT NEW.id, key, value FROM json_each(NEW.tags);
  INSERT OR IGNORE INTO result_members (result_id, name, value)
    SELECT NEW.id, key, value FROM json_each(NEW.summary) WHERE type = 'text'
    UNION SELECT NEW.id, m.key, v.value FROM json_each(NEW.summary) m, json_each(m.value) v
      WHERE m.type = 'array' AND v.type = 'text';
  INSERT INTO result_metrics (result_id, name, value)
    SELECT NEW.id, key, value FROM json_each(NEW.summary, '$.metrics') WHERE type IN ('integer', 'real');
END;
CREATE TRIGGER results_retagged AFTER UPDATE OF tags ON results BEGIN
  DELETE FROM tags WHERE owner = OLD.id;
  INSERT INTO tags (owner, name, value) SELECT NEW.id, key, value FROM json_each(NEW.tags);
END;
CREATE TRIGGER datasets_retagged AFTER UPDATE OF tags ON datasets BEGIN
  DELETE FROM tags WHERE owner = OLD.id;
  INSERT INTO tags (owner, name, value) SELECT NEW.id, key, value FROM json_each(NEW.tags);
END;
CREATE TRIGGER jobs_untagged AFTER DELETE ON jobs BEGIN DELETE FROM tags WHERE owner = OLD.id; END;
CREATE TRIGGER transfers_untagged AFTER DELETE ON transfers BEGIN DELETE FROM tags WHERE owner = OLD.id; END;
CREATE TRIGGER datasets_untagged AFTER DELETE ON datasets BEGIN DELETE FROM tags WHERE owner = OLD.id; END;
CREATE TRIGGER results_untagged AFTER DELETE ON results BEGIN DELETE FROM tags WHERE owner = OLD.id; END;

-- Lists are sorted by (created_at, id); a job is created when its id is made.
CREATE INDEX results_newest ON results (kind, created_at, id);
CREATE INDEX jobs_newest ON jobs (created_at, id);
CREATE INDEX transfers_newest ON transfers (created_at, id);
CREATE INDEX jobs_order ON jobs (job_order_id) WHERE job_order_id IS NOT NULL;
CREATE INDEX results_order ON results (job_order_id) WHERE job_order_id IS NOT NULL;
CREATE INDEX transfers_order ON transfers (job_order_id) WHERE job_order_id IS NOT NULL;
DROP INDEX results_kind;
DROP INDEX results_of_robot;
