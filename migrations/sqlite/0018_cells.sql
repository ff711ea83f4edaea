-- What stands around arms. A change makes a new revision; what was computed names the one that it was computed with.
CREATE TABLE cells (
  name TEXT NOT NULL,
  version INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  document TEXT NOT NULL,
  PRIMARY KEY (name, version)
) STRICT;
