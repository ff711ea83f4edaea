-- How the logs of a drive become columns of a data set. Uploads name them; what was uploaded does not need them any more.
CREATE TABLE mappings (
  name TEXT PRIMARY KEY,
  version INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  document TEXT NOT NULL
) STRICT;
