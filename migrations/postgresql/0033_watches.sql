-- Arms whose parameters are followed from the telemetry of their controllers: what was asked, and what was learnt last.
CREATE TABLE watches (
  controller text COLLATE "C" PRIMARY KEY REFERENCES controllers (name) ON DELETE CASCADE,
  started_at text COLLATE "C" NOT NULL,
  request text COLLATE "C" NOT NULL,
  state text COLLATE "C"
);
