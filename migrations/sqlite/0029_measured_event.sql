-- That an order's measurements are summed up, or that there are none, is told, once: to the log, and to the webhook of an order
-- whose callback asks for it.
CREATE INDEX orders_transfer ON orders (transfer) WHERE transfer IS NOT NULL;

CREATE TRIGGER order_measured AFTER UPDATE OF measured, unmeasured ON transfers
WHEN OLD.measured IS NULL AND OLD.unmeasured IS NULL AND (NEW.measured IS NOT NULL OR NEW.unmeasured IS NOT NULL)
BEGIN
  INSERT INTO events (type, controller, order_id, job, transfer, job_order_id, text)
  SELECT 'order.measured', controller, id, job, transfer, json_extract(request, '$.job_order_id'), NEW.unmeasured
  FROM orders WHERE transfer = NEW.id;
  INSERT INTO deliveries (id, order_id, event, webhook, state, created_at, next_at)
  SELECT orders.id || '-' || (1 + (SELECT count(*) FROM deliveries WHERE order_id = orders.id)), orders.id, 'measured',
         webhooks.name, 'pending', at, at
  FROM orders, webhooks, (SELECT strftime('%Y-%m-%dT%H:%M:%fZ', 'now') AS at)
  WHERE orders.transfer = NEW.id AND webhooks.name = json_extract(orders.request, '$.callback.webhook')
    AND 'measured' IN (SELECT value FROM json_each(orders.request, '$.callback.events'));
END;
