-- What was measured of a motion that has ended, as JSON, or why nothing was, in words; neither: it has not been summed up yet.
ALTER TABLE transfers ADD COLUMN measured TEXT;
ALTER TABLE transfers ADD COLUMN unmeasured TEXT;
CREATE INDEX transfers_not_summed_up ON transfers (id)
  WHERE measured IS NULL AND unmeasured IS NULL AND finished_at IS NOT NULL;

-- The orders of a controller that touched a stretch of time, without those that ended before it.
CREATE INDEX orders_shift ON orders (controller, coalesce(finished_at, '9'), created_at);
