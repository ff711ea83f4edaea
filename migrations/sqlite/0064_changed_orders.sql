-- What waits may be changed: how often it was, when last and by which key.
ALTER TABLE orders ADD COLUMN changes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE orders ADD COLUMN changed_at TEXT;
ALTER TABLE orders ADD COLUMN changed_by TEXT;
ALTER TABLE orders ADD COLUMN changed_by_name TEXT;
CREATE TRIGGER orders_retagged AFTER UPDATE OF tags ON orders WHEN OLD.tags <> NEW.tags BEGIN
  DELETE FROM tags WHERE owner = OLD.id;
  INSERT INTO tags (owner, name, value) SELECT NEW.id, key, value FROM json_each(NEW.tags);
END;
