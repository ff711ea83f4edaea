-- A file has one node: what others have to tell is PostgreSQL's.
SELECT 1;
