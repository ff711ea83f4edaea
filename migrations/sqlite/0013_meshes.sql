-- Meshes that show the links of a robot, under the names that its visuals have. The triangles are a series of the id;
-- number is the ETag: it never comes again.
CREATE TABLE meshes (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  robot TEXT NOT NULL REFERENCES robots (name) ON DELETE CASCADE,
  mesh TEXT NOT NULL,
  created_at TEXT NOT NULL,
  triangles INTEGER NOT NULL CHECK (triangles >= 1),
  figures TEXT NOT NULL,
  UNIQUE (robot, mesh)
) STRICT;
