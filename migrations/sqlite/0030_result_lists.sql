-- Lists of many results and jobs: of one robot, of what is pinned or in a state, by label or robot, each from an index.
CREATE INDEX results_of_robot ON results (kind, robot, created_at, id);
CREATE INDEX results_by_robot ON results (kind, robot, id);
CREATE INDEX results_by_label ON results (kind, label, id);
CREATE INDEX results_pinned ON results (kind, pinned, created_at, id);
CREATE INDEX jobs_in_state ON jobs (state, created_at, id);
