-- SQLite's index of trigrams has no counterpart here: pg_trgm is an extension that a database may not have. Rows are read.
DO $$ BEGIN END $$;
