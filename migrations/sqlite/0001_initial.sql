-- What armdyn keeps. Times are RFC 3339 UTC texts of equal length, so that they sort; ids are ULIDs.

-- A name, and which of its immutable revisions is the newest.
CREATE TABLE robots (
  name TEXT PRIMARY KEY,
  newest INTEGER NOT NULL CHECK (newest >= 1),
  archived INTEGER NOT NULL DEFAULT 0 CHECK (archived IN (0, 1))
) STRICT, WITHOUT ROWID;

CREATE TABLE robot_revisions (
  name TEXT NOT NULL REFERENCES robots (name) ON DELETE CASCADE,
  revision INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  unphysical INTEGER NOT NULL CHECK (unphysical IN (0, 1)),
  document TEXT NOT NULL,
  PRIMARY KEY (name, revision)
) STRICT;

-- The last number that a deleted name had: its successor goes on counting, so that no ETag and no (name, revision)
-- ever means two things.
CREATE TABLE retired (
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  last INTEGER NOT NULL,
  PRIMARY KEY (kind, name)
) STRICT, WITHOUT ROWID;

-- "running" and progress live in memory only: after a crash a running job is a queued one.
CREATE TABLE jobs (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  robot TEXT NOT NULL,
  revision INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('queued', 'succeeded', 'failed', 'cancelled')),
  attempt INTEGER NOT NULL DEFAULT 0,
  created_at TEXT NOT NULL,
  started_at TEXT,
  finished_at TEXT,
  result_id TEXT REFERENCES results (id) ON DELETE SET NULL,
  request TEXT NOT NULL,
  tags TEXT NOT NULL,
  problem TEXT,
  attempts TEXT NOT NULL
) STRICT;
CREATE INDEX jobs_state ON jobs (state, id);
CREATE INDEX jobs_robot ON jobs (robot, id);
CREATE INDEX jobs_kind ON jobs (kind, id);
CREATE INDEX jobs_result ON jobs (result_id) WHERE result_id IS NOT NULL;

CREATE TABLE results (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  job TEXT NOT NULL REFERENCES jobs (id),
  robot TEXT NOT NULL,
  revision INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  document TEXT NOT NULL,
  tags TEXT NOT NULL,
  FOREIGN KEY (robot, revision) REFERENCES robot_revisions (name, revision)
) STRICT;
CREATE INDEX results_kind ON results (kind, id);
CREATE INDEX results_robot ON results (robot, revision);
CREATE INDEX results_of_robot ON results (kind, robot, id);
CREATE INDEX results_job ON results (job);

-- A table of float64, width x rows, row-major, cut into chunks of 8,192 values (little-endian). It is staged before its
-- result exists and seen only through it; one whose result does not exist is an orphan and swept at start.
CREATE TABLE series (
  id INTEGER PRIMARY KEY,
  result_id TEXT NOT NULL,
  name TEXT NOT NULL,
  columns TEXT NOT NULL,
  width INTEGER NOT NULL CHECK (width >= 1),
  rows INTEGER NOT NULL CHECK (rows >= 0),
  UNIQUE (result_id, name)
) STRICT;

CREATE TABLE series_chunks (
  series INTEGER NOT NULL REFERENCES series (id),
  chunk INTEGER NOT NULL,
  data BLOB NOT NULL,
  PRIMARY KEY (series, chunk)
) STRICT;

CREATE TABLE controllers (
  name TEXT PRIMARY KEY,
  version INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  robot TEXT REFERENCES robots (name),
  document TEXT NOT NULL
) STRICT;
CREATE INDEX controllers_robot ON controllers (robot) WHERE robot IS NOT NULL;

-- A transfer is kept when its controller goes; a trajectory that was transferred is kept too.
CREATE TABLE transfers (
  id TEXT PRIMARY KEY,
  controller TEXT NOT NULL,
  trajectory TEXT NOT NULL REFERENCES results (id),
  state TEXT NOT NULL CHECK (state IN ('queued', 'connecting', 'loading', 'ready', 'armed', 'playing', 'holding',
                                       'done', 'stopped', 'failed', 'interrupted')),
  sent INTEGER NOT NULL,
  total INTEGER NOT NULL,
  start_sent INTEGER NOT NULL CHECK (start_sent IN (0, 1)),
  created_at TEXT NOT NULL,
  started_at TEXT,
  finished_at TEXT,
  request TEXT NOT NULL,
  tags TEXT NOT NULL,
  history TEXT NOT NULL,
  problem TEXT
) STRICT;
CREATE INDEX transfers_controller ON transfers (controller, id);
CREATE INDEX transfers_state ON transfers (state, id);
CREATE INDEX transfers_unfinished ON transfers (id) WHERE state NOT IN ('done', 'stopped', 'failed', 'interrupted');
CREATE INDEX transfers_trajectory ON transfers (trajectory);

-- What a creating request with an Idempotency-Key made, kept in the transaction that made it.
CREATE TABLE idempotency (
  scope TEXT PRIMARY KEY,
  digest BLOB NOT NULL CHECK (length(digest) = 32),
  href TEXT NOT NULL,
  created_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_created ON idempotency (created_ms);
