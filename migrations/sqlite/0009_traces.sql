-- The trace (W3C traceparent) of the request that created it; NULL of what is older.
ALTER TABLE jobs ADD COLUMN traceparent TEXT;
ALTER TABLE transfers ADD COLUMN traceparent TEXT;
