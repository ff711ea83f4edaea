-- How many jobs of each kind and robot are in each state: totals of lists are read here, and not counted.
CREATE TABLE job_counts (
  kind text COLLATE "C" NOT NULL,
  robot text COLLATE "C" NOT NULL,
  state text COLLATE "C" NOT NULL,
  count bigint NOT NULL,
  PRIMARY KEY (kind, robot, state)
);
INSERT INTO job_counts (kind, robot, state, count) SELECT kind, robot, state, count(*) FROM jobs GROUP BY kind, robot, state;
-- once for all rows of a statement: what is changed often within a transaction is found slower each time
CREATE FUNCTION jobs_counted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO job_counts (kind, robot, state, count)
    SELECT kind, robot, state, count(*) FROM made GROUP BY kind, robot, state
    ON CONFLICT (kind, robot, state) DO UPDATE SET count = job_counts.count + excluded.count;
  RETURN NULL;
END $$;
CREATE TRIGGER jobs_counted AFTER INSERT ON jobs
  REFERENCING NEW TABLE AS made FOR EACH STATEMENT EXECUTE FUNCTION jobs_counted();
CREATE FUNCTION job_recounted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE job_counts SET count = count - 1 WHERE kind = OLD.kind AND robot = OLD.robot AND state = OLD.state;
  IF TG_OP = 'DELETE' THEN
    DELETE FROM job_counts WHERE kind = OLD.kind AND robot = OLD.robot AND state = OLD.state AND count = 0;
  ELSE
    INSERT INTO job_counts (kind, robot, state, count) VALUES (NEW.kind, NEW.robot, NEW.state, 1)
      ON CONFLICT (kind, robot, state) DO UPDATE SET count = job_counts.count + 1;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER job_recounted AFTER UPDATE OF state ON jobs
  FOR EACH ROW WHEN (OLD.state <> NEW.state) EXECUTE FUNCTION job_recounted();
CREATE TRIGGER job_discounted AFTER DELETE ON jobs FOR EACH ROW EXECUTE FUNCTION job_recounted();

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
