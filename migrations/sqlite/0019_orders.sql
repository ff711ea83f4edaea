-- From a job order to the motion: what was asked, and what became of it. An order has at most one transfer, ever, whose id it
-- keeps before the gateway hears of it.
CREATE TABLE orders (
  id TEXT PRIMARY KEY,
  controller TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('accepted', 'planning', 'queued', 'loading', 'ready', 'running', 'held', 'done',
                                       'stopped', 'failed', 'interrupted')),
  priority INTEGER NOT NULL,
  automatic INTEGER NOT NULL CHECK (automatic IN (0, 1)),
  created_by TEXT NOT NULL,
  created_by_name TEXT NOT NULL,
  started_by TEXT,
  started_by_name TEXT,
  created_at TEXT NOT NULL,
  expires_at TEXT,
  ready_at TEXT,
  started_at TEXT,
  finished_at TEXT,
  job TEXT,
  trajectory TEXT,
  transfer TEXT UNIQUE,
  request TEXT NOT NULL,
  tags TEXT NOT NULL,
  history TEXT NOT NULL,
  plan TEXT,
  problem TEXT,
  traceparent TEXT,
  job_order_id TEXT GENERATED ALWAYS AS (json_extract(request, '$.job_order_id')) VIRTUAL,
  work_master_id TEXT GENERATED ALWAYS AS (json_extract(request, '$.work_master_id')) VIRTUAL,
  equipment_id TEXT GENERATED ALWAYS AS (json_extract(request, '$.equipment_id')) VIRTUAL
) STRICT;
CREATE INDEX orders_controller ON orders (controller, created_at, id);
CREATE INDEX orders_state ON orders (state, created_at, id);
CREATE INDEX orders_newest ON orders (created_at, id);
CREATE INDEX orders_order ON orders (job_order_id) WHERE job_order_id IS NOT NULL;
CREATE INDEX orders_unfinished ON orders (id) WHERE state NOT IN ('done', 'stopped', 'failed', 'interrupted');
CREATE TRIGGER orders_tagged AFTER INSERT ON orders BEGIN
  INSERT INTO tags (owner, name, value) SELECT NEW.id, key, value FROM json_each(NEW.tags);
END;
CREATE TRIGGER orders_untagged AFTER DELETE ON orders BEGIN DELETE FROM tags WHERE owner = OLD.id; END;

-- Of every controller that ever had an order: what keeps its queue from going on, until somebody releases it.
CREATE TABLE order_queues (
  controller TEXT PRIMARY KEY,
  reason TEXT, -- NULL: it goes on
  since TEXT NOT NULL
) STRICT;
