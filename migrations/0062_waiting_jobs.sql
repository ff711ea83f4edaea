-- Lists and totals of jobs of one kind or robot, by state, out of a hundred thousand that wait.
CREATE INDEX jobs_of_kind ON jobs (kind, state, created_at, id);
CREATE INDEX jobs_of_robot ON jobs (robot, state, created_at, id);
