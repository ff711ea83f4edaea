-- What was found when programs of a revision were evaluated beside the kernels. One for each request and program that made
-- them; request is JSON without spaces between.
CREATE TABLE code_proofs (
  id TEXT PRIMARY KEY,
  robot TEXT NOT NULL,
  revision INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  version TEXT NOT NULL,
  request TEXT NOT NULL,
  programs TEXT NOT NULL,
  UNIQUE (robot, revision, version, request),
  FOREIGN KEY (robot, revision) REFERENCES robot_revisions (name, revision) ON DELETE CASCADE
) STRICT;
CREATE INDEX code_proofs_newest ON code_proofs (robot, created_at, id);
