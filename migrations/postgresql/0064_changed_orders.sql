-- What waits may be changed: how often it was, when last and by which key.
ALTER TABLE orders ADD COLUMN changes bigint NOT NULL DEFAULT 0;
ALTER TABLE orders ADD COLUMN changed_at text COLLATE "C";
ALTER TABLE orders ADD COLUMN changed_by text COLLATE "C";
ALTER TABLE orders ADD COLUMN changed_by_name text COLLATE "C";
DROP TRIGGER orders_tagged ON orders;
CREATE TRIGGER orders_tagged AFTER INSERT OR DELETE OR UPDATE OF tags ON orders FOR EACH ROW EXECUTE FUNCTION tagged();
