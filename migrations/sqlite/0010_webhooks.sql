-- Where ends of jobs are told. Secrets sign, so they must be kept as they are.
CREATE TABLE webhooks (
  name TEXT PRIMARY KEY,
  url TEXT NOT NULL,
  secret TEXT NOT NULL,
  former_secret TEXT,
  -- as long as that still signs, too
  former_until TEXT,
  created_at TEXT NOT NULL
) STRICT;

-- The outbox: one row for each job that ended and names a webhook, written with its end.
CREATE TABLE deliveries (
  job TEXT PRIMARY KEY REFERENCES jobs (id) ON DELETE CASCADE,
  webhook TEXT NOT NULL REFERENCES webhooks (name) ON DELETE CASCADE,
  state TEXT NOT NULL CHECK (state IN ('pending', 'delivered', 'failed')),
  attempts INTEGER NOT NULL DEFAULT 0,
  http_status INTEGER,
  error TEXT,
  created_at TEXT NOT NULL,
  last_at TEXT,
  next_at TEXT
) STRICT;
CREATE INDEX deliveries_due ON deliveries (webhook, next_at) WHERE state = 'pending';
CREATE INDEX deliveries_webhook ON deliveries (webhook);

CREATE TRIGGER job_ended AFTER UPDATE OF state ON jobs WHEN OLD.state = 'queued' AND NEW.state <> 'queued'
BEGIN
  INSERT INTO deliveries (job, webhook, state, created_at, next_at)
  SELECT NEW.id, name, 'pending', NEW.finished_at, NEW.finished_at FROM webhooks
  WHERE name = json_extract(NEW.request, '$.callback.webhook');
END;
