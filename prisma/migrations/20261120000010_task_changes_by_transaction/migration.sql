-- A page of the log is never cut within a transaction: the rest of the last ones is found by this.
CREATE INDEX task_changes_transaction_id_idx ON task_changes (transaction_id);
