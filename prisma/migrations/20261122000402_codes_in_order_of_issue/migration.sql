-- The newest code of an address alone counts: the one issued last, whatever a clock says. Codes of one address are
-- issued one after the other, so that their numbers have that order.
DROP INDEX one_time_codes_email_created_at_idx;
ALTER TABLE one_time_codes
  DROP COLUMN id,
  ADD COLUMN id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY;
CREATE INDEX one_time_codes_email_id_idx ON one_time_codes (email, id);
