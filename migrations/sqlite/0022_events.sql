-- What happened, in the order in which it became durable, for who was away: of orders, jobs, transfers, queues and controllers.
-- The newest 100,000 are kept.
CREATE TABLE events (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  -- No end of anything may fail for want of a time.
  at TEXT NOT NULL ON CONFLICT REPLACE DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
  type TEXT NOT NULL, -- "order.ready": of what, and what
  controller TEXT,
  order_id TEXT,
  job TEXT,
  transfer TEXT,
  job_order_id TEXT,
  text TEXT -- why, in words
) STRICT;
CREATE INDEX events_sight ON events (controller, number) WHERE type IN ('controller.lost', 'controller.back');
CREATE INDEX events_controller ON events (controller, number) WHERE controller IS NOT NULL;
CREATE INDEX events_order ON events (order_id, number) WHERE order_id IS NOT NULL;
CREATE INDEX events_job_order ON events (job_order_id, number) WHERE job_order_id IS NOT NULL;

-- How far those are who read it by themselves.
CREATE TABLE event_readers (
  name TEXT PRIMARY KEY,
  number INTEGER NOT NULL
) STRICT;

CREATE TRIGGER events_forgotten AFTER INSERT ON events WHEN NEW.number % 1000 = 0
BEGIN
  DELETE FROM events WHERE number <= NEW.number - 100000;
END;

CREATE TRIGGER order_accepted_event AFTER INSERT ON orders
BEGIN
  INSERT INTO events (at, type, controller, order_id, job_order_id)
  VALUES (NEW.created_at, 'order.' || NEW.state, NEW.controller, NEW.id, json_extract(NEW.request, '$.job_order_id'));
END;
CREATE TRIGGER order_event AFTER UPDATE OF state ON orders WHEN OLD.state <> NEW.state
BEGIN
  INSERT INTO events (at, type, controller, order_id, job, transfer, job_order_id, text)
  VALUES (coalesce(NEW.finished_at, json_extract(NEW.history, '$[#-1].at')), 'order.' || NEW.state, NEW.controller, NEW.id,
          NEW.job, NEW.transfer, json_extract(NEW.request, '$.job_order_id'),
          coalesce(json_extract(NEW.problem, '$.detail'), json_extract(NEW.history, '$[#-1].reason')));
END;
CREATE TRIGGER job_event AFTER UPDATE OF state ON jobs WHEN OLD.state = 'queued' AND NEW.state <> 'queued'
BEGIN
  INSERT INTO events (at, type, job, job_order_id, text)
  VALUES (NEW.finished_at, 'job.' || NEW.state, NEW.id, json_extract(NEW.request, '$.job_order_id'),
          json_extract(NEW.problem, '$.detail'));
END;
CREATE TRIGGER transfer_event AFTER UPDATE OF state ON transfers
WHEN OLD.state NOT IN ('done', 'stopped', 'failed', 'interrupted')
  AND NEW.state IN ('done', 'stopped', 'failed', 'interrupted')
BEGIN
  INSERT INTO events (at, type, controller, transfer, job_order_id, text)
  VALUES (NEW.finished_at, 'transfer.' || NEW.state, NEW.controller, NEW.id, json_extract(NEW.request, '$.job_order_id'),
          json_extract(NEW.problem, '$.detail'));
END;
CREATE TRIGGER queue_new_event AFTER INSERT ON order_queues WHEN NEW.reason IS NOT NULL
BEGIN
  INSERT INTO events (at, type, controller, text) VALUES (NEW.since, 'queue.blocked', NEW.controller, NEW.reason);
END;
CREATE TRIGGER queue_event AFTER UPDATE OF reason ON order_queues WHEN OLD.reason IS NOT NEW.reason
BEGIN
  INSERT INTO events (at, type, controller, text)
  VALUES (NEW.since, iif(NEW.reason IS NULL, 'queue.released', 'queue.blocked'), NEW.controller, NEW.reason);
END;

-- What webhooks are told without a request that names them.
ALTER TABLE webhooks ADD COLUMN events TEXT NOT NULL DEFAULT '[]';

-- A row of the outbox may be of an event, too.
DROP TRIGGER job_ended;
DROP TRIGGER transfer_ended;
DROP TRIGGER order_accepted;
DROP TRIGGER order_went_on;
ALTER TABLE deliveries RENAME TO former_deliveries;
CREATE TABLE deliveries (
  id TEXT PRIMARY KEY,
  job TEXT UNIQUE REFERENCES jobs (id) ON DELETE CASCADE,
  transfer TEXT UNIQUE REFERENCES transfers (id) ON DELETE CASCADE,
  order_id TEXT REFERENCES orders (id) ON DELETE CASCADE,
  number INTEGER REFERENCES events (number) ON DELETE CASCADE,
  event TEXT, -- of an order: the state; of an event: its type
  owner TEXT GENERATED ALWAYS AS (coalesce(job, transfer, order_id)) VIRTUAL,
  webhook TEXT NOT NULL REFERENCES webhooks (name) ON DELETE CASCADE,
  state TEXT NOT NULL CHECK (state IN ('pending', 'delivered', 'failed')),
  attempts INTEGER NOT NULL DEFAULT 0,
  http_status INTEGER,
  error TEXT,
  created_at TEXT NOT NULL,
  last_at TEXT,
  next_at TEXT,
  CHECK ((job IS NOT NULL) + (transfer IS NOT NULL) + (order_id IS NOT NULL) + (number IS NOT NULL) = 1),
  CHECK ((order_id IS NULL AND number IS NULL) = (event IS NULL))
) STRICT;
INSERT INTO deliveries (id, job, transfer, order_id, event, webhook, state, attempts, http_status, error, created_at, last_at,
                        next_at)
SELECT id, job, transfer, order_id, event, webhook, state, attempts, http_status, error, created_at, last_at, next_at
FROM former_deliveries;
DROP TABLE former_deliveries;
CREATE INDEX deliveries_due ON deliveries (webhook, next_at) WHERE state = 'pending';
CREATE INDEX deliveries_webhook ON deliveries (webhook);
CREATE INDEX deliveries_owner ON deliveries (owner) WHERE owner IS NOT NULL;
CREATE INDEX deliveries_order ON deliveries (order_id) WHERE order_id IS NOT NULL;
CREATE INDEX deliveries_event ON deliveries (number) WHERE number IS NOT NULL;

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

-- Asked first, for most orders tell nobody: what the statement selects is a table of SQLite's own.
CREATE TRIGGER order_went_on AFTER UPDATE OF state ON orders
WHEN OLD.state <> NEW.state AND json_extract(NEW.request, '$.callback.webhook') IS NOT NULL
BEGIN
  INSERT INTO deliveries (id, order_id, event, webhook, state, created_at, next_at)
  SELECT NEW.id || '-' || (1 + (SELECT count(*) FROM deliveries WHERE order_id = NEW.id)), NEW.id, NEW.state, name, 'pending',
         at, at
  FROM webhooks, (SELECT coalesce(NEW.finished_at, json_extract(NEW.history, '$[#-1].at')) AS at)
  WHERE name = json_extract(NEW.request, '$.callback.webhook')
    AND NEW.state IN (SELECT value FROM json_each(NEW.request, '$.callback.events'));
END;

-- A webhook has a row number of its own, so that each has a message of its own.
CREATE TRIGGER event_told AFTER INSERT ON events
BEGIN
  INSERT INTO deliveries (id, number, event, webhook, state, created_at, next_at)
  SELECT 'event-' || NEW.number || '-' || webhooks.rowid, NEW.number, NEW.type, webhooks.name, 'pending', NEW.at, NEW.at
  FROM webhooks WHERE NEW.type IN (SELECT value FROM json_each(webhooks.events));
END;
