-- Lists of many orders are found in an index alone: each holds all that a list's conditions look at.
DROP INDEX orders_newest;
DROP INDEX orders_controller;
DROP INDEX orders_state;
DROP INDEX orders_finished;
DROP INDEX orders_order;
CREATE INDEX orders_newest ON orders (created_at, id, state, controller, priority, started_at, finished_at);
CREATE INDEX orders_controller ON orders (controller, created_at, id, state, finished_at);
CREATE INDEX orders_state ON orders (state, created_at, id, controller, finished_at);
CREATE INDEX orders_finished ON orders (coalesce(finished_at, ''), id, state, controller, created_at, finished_at);
CREATE INDEX orders_order ON orders (job_order_id, created_at, id, state, controller, finished_at)
  WHERE job_order_id IS NOT NULL;
CREATE INDEX orders_work_master ON orders (work_master_id, created_at, id, state, controller, finished_at)
  WHERE work_master_id IS NOT NULL;
CREATE INDEX orders_equipment ON orders (equipment_id, created_at, id, state, controller, finished_at)
  WHERE equipment_id IS NOT NULL;

-- What every change of an order costs: a list of states in a condition is a table of its own each time, and so is what a
-- trigger selects.
DROP INDEX orders_unfinished;
CREATE INDEX orders_unfinished ON orders (id) WHERE finished_at IS NULL;
DROP TRIGGER order_went_on;
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
