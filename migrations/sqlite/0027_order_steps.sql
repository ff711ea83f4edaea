-- Orders of several steps: where their motion begins, and which of their moves are planned, as JSON.
ALTER TABLE orders ADD COLUMN sequence TEXT;

-- A move that is ordered again need not be planned again, whichever order it belongs to.
CREATE TABLE planned_moves (
  plan_key TEXT PRIMARY KEY, -- a hash of all that its plan depends on
  trajectory TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX planned_moves_trajectory ON planned_moves (trajectory);
CREATE TRIGGER orders_moved AFTER UPDATE OF sequence ON orders
WHEN NEW.sequence IS NOT OLD.sequence AND NEW.sequence ->> '$.moves[#-1].key' IS NOT NULL
BEGIN
  INSERT OR REPLACE INTO planned_moves (plan_key, trajectory)
  VALUES (NEW.sequence ->> '$.moves[#-1].key', NEW.sequence ->> '$.moves[#-1].trajectory');
END;
CREATE TRIGGER planned_moves_gone AFTER DELETE ON results BEGIN
  DELETE FROM planned_moves WHERE trajectory = OLD.id;
END;
