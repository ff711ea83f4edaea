-- A file has one node, which needs no table of them: they are PostgreSQL's.
SELECT 1;
