-- Nodes that compute jobs for the one that serves (`armdyn worker-node`), and what both say to each other.
CREATE TABLE nodes (
  id text COLLATE "C" PRIMARY KEY,
  host text COLLATE "C" NOT NULL,
  process bigint NOT NULL,
  version text COLLATE "C" NOT NULL,
  workers bigint NOT NULL,
  started_at text COLLATE "C" NOT NULL,
  draining bigint NOT NULL,
  seen timestamptz NOT NULL
);

-- Whoever gives a worker its jobs takes a new number; what is said under an older one is neither taken nor heard.
CREATE TABLE node_workers (
  node text COLLATE "C",
  worker bigint,
  fence bigint NOT NULL,
  PRIMARY KEY (node, worker)
);

-- Frames on their way, to a worker and back. They need not outlive a crash of the database: then the job is begun again.
CREATE UNLOGGED TABLE node_frames (
  node text COLLATE "C",
  worker bigint,
  fence bigint,
  back bigint,
  number bigint,
  type bigint NOT NULL,
  data bytea NOT NULL,
  PRIMARY KEY (node, worker, fence, back, number)
);
ALTER TABLE node_frames ALTER COLUMN data SET STORAGE EXTERNAL;
