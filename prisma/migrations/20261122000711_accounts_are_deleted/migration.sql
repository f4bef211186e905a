-- An invitation counts towards the mails of its address for a day, also when the account that sent it is deleted: else
-- deleting accounts would be a way to send an address any number of mails. Whose it was is forgotten.
LOCK TABLE spaces IN EXCLUSIVE MODE;
ALTER TABLE sent_invitations
  ALTER COLUMN invited_by_id DROP NOT NULL,
  DROP CONSTRAINT sent_invitations_invited_by_id_fkey,
  ADD CONSTRAINT sent_invitations_invited_by_id_fkey FOREIGN KEY (invited_by_id) REFERENCES users (id) ON DELETE SET NULL;
