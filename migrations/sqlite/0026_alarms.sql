-- What is wrong and asks for somebody: one row from the moment that a cause is seen until it is gone.
CREATE TABLE alarms (
  id TEXT PRIMARY KEY,
  code TEXT NOT NULL, -- "controller-lost"
  source TEXT NOT NULL,
  controller TEXT, -- NULL: of none
  text TEXT NOT NULL,
  since TEXT NOT NULL,
  until TEXT, -- NULL: it stands
  acknowledged_at TEXT,
  acknowledged_by TEXT,
  state TEXT NOT NULL AS (CASE WHEN until IS NOT NULL THEN 'cleared' WHEN acknowledged_at IS NOT NULL THEN 'acknowledged'
                          ELSE 'active' END) VIRTUAL,
  stood_until TEXT NOT NULL AS (coalesce(until, '9999-12-31T23:59:59.999Z')) VIRTUAL,
  CHECK ((acknowledged_at IS NULL) = (acknowledged_by IS NULL))
) STRICT;
CREATE UNIQUE INDEX alarms_standing ON alarms (code, coalesce(controller, '')) WHERE until IS NULL;
CREATE INDEX alarms_since ON alarms (since, id);
CREATE INDEX alarms_controller ON alarms (controller, since, id) WHERE controller IS NOT NULL;
CREATE INDEX alarms_until ON alarms (until) WHERE until IS NOT NULL;

-- However often something comes and goes, the newest 100,000 are kept, and what stands.
CREATE TRIGGER alarms_forgotten AFTER INSERT ON alarms WHEN NEW.rowid % 1000 = 0
BEGIN
  DELETE FROM alarms WHERE until IS NOT NULL AND rowid <= NEW.rowid - 100000;
END;

ALTER TABLE events ADD COLUMN alarm TEXT;

-- One that comes into the store late, for want of room say, may have been acknowledged and be gone already.
CREATE TRIGGER alarm_raised_event AFTER INSERT ON alarms
BEGIN
  INSERT INTO events (at, type, controller, alarm, text) VALUES (NEW.since, 'alarm.raised', NEW.controller, NEW.id, NEW.text);
  INSERT INTO events (at, type, controller, alarm, text)
  SELECT NEW.acknowledged_at, 'alarm.acknowledged', NEW.controller, NEW.id, 'acknowledged by ' || NEW.acknowledged_by
  WHERE NEW.acknowledged_at IS NOT NULL;
  INSERT INTO events (at, type, controller, alarm, text)
  SELECT NEW.until, 'alarm.cleared', NEW.controller, NEW.id, NEW.text WHERE NEW.until IS NOT NULL;
END;
CREATE TRIGGER alarm_acknowledged_event AFTER UPDATE OF acknowledged_at ON alarms
WHEN OLD.acknowledged_at IS NULL AND NEW.acknowledged_at IS NOT NULL
BEGIN
  INSERT INTO events (at, type, controller, alarm, text)
  VALUES (NEW.acknowledged_at, 'alarm.acknowledged', NEW.controller, NEW.id, 'acknowledged by ' || NEW.acknowledged_by);
END;
CREATE TRIGGER alarm_cleared_event AFTER UPDATE OF until ON alarms WHEN OLD.until IS NULL AND NEW.until IS NOT NULL
BEGIN
  INSERT INTO events (at, type, controller, alarm, text) VALUES (NEW.until, 'alarm.cleared', NEW.controller, NEW.id, NEW.text);
END;
