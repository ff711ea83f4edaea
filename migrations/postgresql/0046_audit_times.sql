-- Entries of the audit trail between two times.
ALTER TABLE audit ADD COLUMN at text COLLATE "C" GENERATED ALWAYS AS (json_text(line, 'at')) STORED;
CREATE INDEX audit_at ON audit (at, number);
