-- Logged motion of an arm. Its samples are the series "samples", with the levels of its pyramid ("extremes1", ...) beside it.
-- figures never change; label, conditions, tags, notes and the ids do, and version counts how often.
CREATE TABLE datasets (
  id TEXT PRIMARY KEY,
  robot TEXT NOT NULL,
  revision INTEGER NOT NULL,
  version INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  label TEXT NOT NULL,
  samples INTEGER NOT NULL CHECK (samples >= 1),
  sha256 TEXT NOT NULL CHECK (length(sha256) = 64),
  figures TEXT NOT NULL,
  conditions TEXT NOT NULL,
  tags TEXT NOT NULL,
  notes TEXT NOT NULL,
  job_order_id TEXT NOT NULL,
  work_master_id TEXT NOT NULL,
  equipment_id TEXT NOT NULL,
  FOREIGN KEY (robot, revision) REFERENCES robot_revisions (name, revision)
) STRICT;
CREATE INDEX datasets_robot ON datasets (robot, id);
CREATE INDEX datasets_revision ON datasets (robot, revision);
CREATE INDEX datasets_label ON datasets (label, id);

-- A series belongs to a result or to a data set.
ALTER TABLE series RENAME COLUMN result_id TO owner;

-- Who was computed from what: a job that has not ended, or a result ("identification", id), and a data set or another
-- result. What is referred to cannot be deleted.
CREATE TABLE referrals (
  from_kind TEXT NOT NULL,
  from_id TEXT NOT NULL,
  to_kind TEXT NOT NULL,
  to_id TEXT NOT NULL,
  PRIMARY KEY (from_kind, from_id, to_kind, to_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX referrals_to ON referrals (to_kind, to_id);
