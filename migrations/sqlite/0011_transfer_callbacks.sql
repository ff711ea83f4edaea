-- Ends of transfers are told, too: a row of the outbox is of a job or of a transfer, and has its id.
DROP TRIGGER job_ended;
ALTER TABLE deliveries RENAME TO deliveries_of_jobs;
CREATE TABLE deliveries (
  id TEXT PRIMARY KEY,
  job TEXT UNIQUE REFERENCES jobs (id) ON DELETE CASCADE,
  transfer TEXT UNIQUE REFERENCES transfers (id) ON DELETE CASCADE,
  webhook TEXT NOT NULL REFERENCES webhooks (name) ON DELETE CASCADE,
  state TEXT NOT NULL CHECK (state IN ('pending', 'delivered', 'failed')),
  attempts INTEGER NOT NULL DEFAULT 0,
  http_status INTEGER,
  error TEXT,
  created_at TEXT NOT NULL,
  last_at TEXT,
  next_at TEXT,
  CHECK (id = coalesce(job, transfer) AND (job IS NULL OR transfer IS NULL))
) STRICT;
INSERT INTO deliveries (id, job, webhook, state, attempts, http_status, error, created_at, last_at, next_at)
SELECT job, job, webhook, state, attempts, http_status, error, created_at, last_at, next_at FROM deliveries_of_jobs;
DROP TABLE deliveries_of_jobs;
CREATE INDEX deliveries_due ON deliveries (webhook, next_at) WHERE state = 'pending';
CREATE INDEX deliveries_webhook ON deliveries (webhook);

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
