-- Names that stand for a revision of a robot: "production".
CREATE TABLE robot_aliases (
  robot TEXT NOT NULL,
  alias TEXT NOT NULL,
  version INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  reason TEXT NOT NULL,
  changed_at TEXT NOT NULL,
  PRIMARY KEY (robot, alias),
  FOREIGN KEY (robot, revision) REFERENCES robot_revisions (name, revision) ON DELETE CASCADE
) STRICT;

-- Why a revision was made, and from which identification; '' when nobody said.
ALTER TABLE robot_revisions ADD COLUMN reason TEXT NOT NULL DEFAULT '';
ALTER TABLE robot_revisions ADD COLUMN identification TEXT NOT NULL DEFAULT '';
