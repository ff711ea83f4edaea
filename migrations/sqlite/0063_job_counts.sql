-- How many jobs of each kind and robot are in each state: totals of lists are read here, and not counted.
CREATE TABLE job_counts (
  kind TEXT NOT NULL,
  robot TEXT NOT NULL,
  state TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (kind, robot, state)
) STRICT, WITHOUT ROWID;
INSERT INTO job_counts (kind, robot, state, count) SELECT kind, robot, state, count(*) FROM jobs GROUP BY kind, robot, state;
CREATE TRIGGER job_counted AFTER INSERT ON jobs BEGIN
  INSERT INTO job_counts (kind, robot, state, count) VALUES (NEW.kind, NEW.robot, NEW.state, 1)
    ON CONFLICT (kind, robot, state) DO UPDATE SET count = count + 1;
END;
CREATE TRIGGER job_recounted AFTER UPDATE OF state ON jobs WHEN OLD.state <> NEW.state BEGIN
  UPDATE job_counts SET count = count - 1 WHERE kind = OLD.kind AND robot = OLD.robot AND state = OLD.state;
  INSERT INTO job_counts (kind, robot, state, count) VALUES (NEW.kind, NEW.robot, NEW.state, 1)
    ON CONFLICT (kind, robot, state) DO UPDATE SET count = count + 1;
END;
CREATE TRIGGER job_discounted AFTER DELETE ON jobs BEGIN
  UPDATE job_counts SET count = count - 1 WHERE kind = OLD.kind AND robot = OLD.robot AND state = OLD.state;
  DELETE FROM job_counts WHERE kind = OLD.kind AND robot = OLD.robot AND state = OLD.state AND count = 0;
END;

-- Pages of several states, kinds or robots are found state by state; sorted by what is sought by nothing, in the order of an index
-- that tells which rows are the page's.
DROP INDEX jobs_newest;
DROP INDEX jobs_of_kind;
DROP INDEX jobs_of_robot;
CREATE INDEX jobs_newest ON jobs (created_at, id, state, kind, robot, finished_at);
CREATE INDEX jobs_by_start ON jobs (coalesce(started_at, ''), id, state, kind, robot, created_at, finished_at);
CREATE INDEX jobs_by_end ON jobs (coalesce(finished_at, ''), id, state, kind, robot, created_at, finished_at);
CREATE INDEX jobs_by_priority ON jobs (priority, id, state, kind, robot, created_at, finished_at);
CREATE INDEX jobs_of_kind ON jobs (kind, state, created_at, id, robot);
CREATE INDEX jobs_of_robot ON jobs (robot, state, created_at, id, kind);
CREATE INDEX transfers_in_state ON transfers (state, created_at, id);
