-- When a job is to run, as its request says: more goes first; how long after its creation it must have ended (NULL: any).
ALTER TABLE jobs ADD COLUMN priority INTEGER
  GENERATED ALWAYS AS (coalesce(json_extract(request, '$.priority'), 0)) VIRTUAL;
ALTER TABLE jobs ADD COLUMN time_limit_ms INTEGER
  GENERATED ALWAYS AS (CAST(round(1000 * json_extract(request, '$.time_limit')) AS INTEGER)) VIRTUAL;
