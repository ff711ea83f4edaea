-- What a robot carries, under the names that people number their parts by.
CREATE TABLE robot_parts (
  robot TEXT NOT NULL REFERENCES robots (name) ON DELETE CASCADE,
  part TEXT NOT NULL,
  version INTEGER NOT NULL,
  changed_at TEXT NOT NULL,
  document TEXT NOT NULL,
  PRIMARY KEY (robot, part)
) STRICT;

-- The part that its arm holds now, '' for none, and since when that was said; '' when nobody said.
ALTER TABLE controllers ADD COLUMN part TEXT NOT NULL DEFAULT '';
ALTER TABLE controllers ADD COLUMN part_at TEXT NOT NULL DEFAULT '';
