-- Who did what. Each entry is one line of JSON; its hash is the SHA-256 of the former entry's hash (of '' for the first),
-- its own number and its line, with a newline between, so that none can be changed or left out unseen.
CREATE TABLE audit (
  number INTEGER PRIMARY KEY,
  line TEXT NOT NULL,
  hash TEXT NOT NULL CHECK (length(hash) = 64),
  key TEXT AS (line ->> '$.key'),
  operation TEXT AS (line ->> '$.operation')
) STRICT;
CREATE INDEX audit_key ON audit (key, number);
CREATE INDEX audit_operation ON audit (operation, number);

-- Which entry is the last one: tells when it was taken away.
CREATE TABLE audit_head (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  number INTEGER NOT NULL,
  hash TEXT NOT NULL
) STRICT;
INSERT INTO audit_head VALUES (1, 0, '');

CREATE TRIGGER audit_never_changed BEFORE UPDATE ON audit
BEGIN
  SELECT RAISE(ABORT, 'the audit trail is append-only');
END;
CREATE TRIGGER audit_never_deleted BEFORE DELETE ON audit
BEGIN
  SELECT RAISE(ABORT, 'the audit trail is append-only');
END;
