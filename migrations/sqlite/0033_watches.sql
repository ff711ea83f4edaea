-- Arms whose parameters are followed from the telemetry of their controllers: what was asked, and what was learnt last.
CREATE TABLE watches (
  controller TEXT PRIMARY KEY REFERENCES controllers (name) ON DELETE CASCADE,
  started_at TEXT NOT NULL,
  request TEXT NOT NULL,
  state TEXT
) STRICT;
