-- What becomes of orders is told, too: a row of the outbox is of the end of a job or of a transfer, or of a state that an order
-- came to, of which there may be several.
DROP TRIGGER job_ended;
DROP TRIGGER transfer_ended;
ALTER TABLE deliveries RENAME TO former_deliveries;
CREATE TABLE deliveries (
  id TEXT PRIMARY KEY,
  job TEXT UNIQUE REFERENCES jobs (id) ON DELETE CASCADE,
  transfer TEXT UNIQUE REFERENCES transfers (id) ON DELETE CASCADE,
  order_id TEXT REFERENCES orders (id) ON DELETE CASCADE,
  event TEXT, -- of an order: the state
  owner TEXT NOT NULL GENERATED ALWAYS AS (coalesce(job, transfer, order_id)) VIRTUAL,
  webhook TEXT NOT NULL REFERENCES webhooks (name) ON DELETE CASCADE,
  state TEXT NOT NULL CHECK (state IN ('pending', 'delivered', 'failed')),
  attempts INTEGER NOT NULL DEFAULT 0,
  http_status INTEGER,
  error TEXT,
  created_at TEXT NOT NULL,
  last_at TEXT,
  next_at TEXT,
  CHECK ((job IS NOT NULL) + (transfer IS NOT NULL) + (order_id IS NOT NULL) = 1),
  CHECK ((order_id IS NULL) = (event IS NULL))
) STRICT;
INSERT INTO deliveries (id, job, transfer, webhook, state, attempts, http_status, error, created_at, last_at, next_at)
SELECT id, job, transfer, webhook, state, attempts, http_status, error, created_at, last_at, next_at FROM former_deliveries;
DROP TABLE former_deliveries;
CREATE INDEX deliveries_due ON deliveries (webhook, next_at) WHERE state = 'pending';
CREATE INDEX deliveries_webhook ON deliveries (webhook);
CREATE INDEX deliveries_owner ON deliveries (owner);
CREATE INDEX deliveries_order ON deliveries (order_id) WHERE order_id IS NOT NULL;

CREATE TRIGGER job_ended AFTER UPDATE OF state ON jobs WHEN OLD.state = 'queued' AND NEW.state <> 'queued'
BEGIN
  INSERT INTO deliveries (id, job, webhook, state, created_at, next_at)
  SELECT NEW.id, NEW.id, name, 'pending', NEW.finished_at, NEW.finished_at FROM webhooks
  WHERE name = json_extract(NEW.request, '$.callback.webhook');
END;

CREATE TRIGGER transfer_ended AFTER UPDATE OF state ON transfers
WHEN OLD.state NOT IN ('done', 'stopped', 'failed', 'interrupted')
  AND NEW.state IN ('done', 'stopped', 'failed', 'interrupted')
BEGIN
  INSERT INTO deliveries (id, transfer, webhook, state, created_at, next_at)
  SELECT NEW.id, NEW.id, name, 'pending', NEW.finished_at, NEW.finished_at FROM webhooks
  WHERE name = json_extract(NEW.request, '$.callback.webhook');
END;

-- Of the states that the order's callback names.
CREATE TRIGGER order_accepted AFTER INSERT ON orders
BEGIN
  INSERT INTO deliveries (id, order_id, event, webhook, state, created_at, next_at)
  SELECT NEW.id || '-1', NEW.id, NEW.state, name, 'pending', NEW.created_at, NEW.created_at FROM webhooks
  WHERE name = json_extract(NEW.request, '$.callback.webhook')
    AND NEW.state IN (SELECT value FROM json_each(NEW.request, '$.callback.events'));
END;

CREATE TRIGGER order_went_on AFTER UPDATE OF state ON orders WHEN OLD.state <> NEW.state
BEGIN
  INSERT INTO deliveries (id, order_id, event, webhook, state, created_at, next_at)
  SELECT NEW.id || '-' || (1 + (SELECT count(*) FROM deliveries WHERE order_id = NEW.id)), NEW.id, NEW.state, name, 'pending',
         at, at
  FROM webhooks, (SELECT coalesce(NEW.finished_at, json_extract(NEW.history, '$[#-1].at')) AS at)
  WHERE name = json_extract(NEW.request, '$.callback.webhook')
    AND NEW.state IN (SELECT value FROM json_each(NEW.request, '$.callback.events'));
END;

-- A motion that is ordered again need not be planned again: what its plan was asked for by, as a hash.
ALTER TABLE orders ADD COLUMN plan_key TEXT;
CREATE INDEX orders_plan ON orders (plan_key, created_at) WHERE plan_key IS NOT NULL AND trajectory IS NOT NULL;
CREATE INDEX orders_trajectory ON orders (trajectory) WHERE trajectory IS NOT NULL;

-- Lists by state and by time, and what they count.
CREATE INDEX orders_controller_state ON orders (controller, state);
CREATE INDEX orders_finished ON orders (finished_at, id) WHERE finished_at IS NOT NULL;
