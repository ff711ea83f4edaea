-- Its ETag; never used again for its name.
ALTER TABLE webhooks ADD COLUMN version INTEGER NOT NULL DEFAULT 1;
