-- Entries of the audit trail between two times.
ALTER TABLE audit ADD COLUMN at TEXT AS (line ->> '$.at');
CREATE INDEX audit_at ON audit (at, number);
