-- Lists of orders by who made them and why.
CREATE INDEX orders_maker ON orders (created_by_name, created_at, id, state, controller, priority, started_at, finished_at);
CREATE INDEX orders_reason ON orders (reason, created_at, id, state, controller, priority, started_at, finished_at)
  WHERE reason IS NOT NULL;
