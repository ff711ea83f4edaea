-- Entries of the audit trail that nodes which stand by have to tell: the node that serves takes them into its chain.
CREATE TABLE audit_inbox (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  line text COLLATE "C" NOT NULL
);
