-- A file has one node: where others are reached is PostgreSQL's.
SELECT 1;
