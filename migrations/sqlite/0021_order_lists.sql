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

-- An order has ended when it says when: a condition with a list of states would open a table of SQLite's own at every change.
DROP INDEX orders_unfinished;
CREATE INDEX orders_unfinished ON orders (id) WHERE finished_at IS NULL;
