-- Idempotency-Keys that are kept as long as what they made.
ALTER TABLE idempotency ADD COLUMN kept INTEGER NOT NULL DEFAULT 0 CHECK (kept IN (0, 1));
CREATE INDEX idempotency_kept ON idempotency (href) WHERE kept;
CREATE TRIGGER orders_keys AFTER DELETE ON orders BEGIN
  DELETE FROM idempotency WHERE kept AND href = '/v1/orders/' || OLD.id;
END;
CREATE TRIGGER jobs_keys AFTER DELETE ON jobs BEGIN
  DELETE FROM idempotency WHERE kept AND href = '/v1/jobs/' || OLD.id;
END;
CREATE TRIGGER transfers_keys AFTER DELETE ON transfers BEGIN
  DELETE FROM idempotency WHERE kept AND href = '/v1/transfers/' || OLD.id;
END;
CREATE TRIGGER datasets_keys AFTER DELETE ON datasets BEGIN
  DELETE FROM idempotency WHERE kept AND href = '/v1/datasets/' || OLD.id;
END;
