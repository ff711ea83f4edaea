-- Whose key a job was made with, for keys share the workers, also after a restart; NULL of what is older.
ALTER TABLE jobs ADD COLUMN owner TEXT;
