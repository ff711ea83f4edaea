-- API keys: of a secret only its hash is kept.
CREATE TABLE keys (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('viewer', 'operator', 'engineer', 'admin')),
  -- controllers that it may move, separated by commas; '*' all
  motion TEXT,
  hash TEXT NOT NULL UNIQUE CHECK (length(hash) = 64),
  created_at TEXT NOT NULL,
  expires_at TEXT,
  last_used_at TEXT
) STRICT;
