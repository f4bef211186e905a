-- Functions and triggers are in ../../functions, except one that an index needs. ../../schema.prisma describes columns.

-- For the search. Trusted extensions: the database's owner may create them.
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE EXTENSION IF NOT EXISTS btree_gin;

CREATE TYPE "SpaceKind" AS ENUM ('PERSONAL', 'WORKSPACE');
CREATE TYPE "WorkspaceRole" AS ENUM ('VIEWER', 'COMMENTER', 'EDITOR', 'ADMIN');
CREATE TYPE "ViewMode" AS ENUM ('LIST', 'BOARD', 'CALENDAR');
-- In the order of sorted lists.
CREATE TYPE "Priority" AS ENUM ('LOW', 'MEDIUM', 'HIGH');
CREATE TYPE "TagColor" AS ENUM ('BLUE', 'RED', 'GREEN', 'YELLOW', 'PURPLE', 'ORANGE', 'PINK');
CREATE TYPE "EntityType" AS ENUM ('USER', 'WORKSPACE', 'PROJECT', 'SECTION', 'TAG', 'TASK', 'COMMENT');
CREATE TYPE "TokenScope" AS ENUM ('READ', 'WRITE');
CREATE TYPE "ActivityMails" AS ENUM ('ALL', 'DIRECT', 'NONE');
CREATE TYPE "ChangeKind" AS ENUM ('CREATED', 'UPDATED', 'DELETED');

-- Spaces, users, members ------------------------------------------------------------------------

CREATE TABLE spaces (
  id text PRIMARY KEY,
  kind "SpaceKind" NOT NULL,
  name text CHECK (char_length(name) BETWEEN 1 AND 255),
  revision bigint NOT NULL DEFAULT 0,
  history_nonce integer NOT NULL DEFAULT 0,
  log_start bigint NOT NULL DEFAULT 0,
  log_start_nonce integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  CHECK ((kind = 'WORKSPACE') = (name IS NOT NULL))
);

-- Covers rows that a space only shows: names of its members, its invitations, and in a personal space the user's invitations.
-- Separate, so writers of both do not wait for each other. Raised last in a transaction, so locked for a moment only.
CREATE TABLE related_revisions (
  space_id text PRIMARY KEY REFERENCES spaces (id) ON DELETE CASCADE,
  revision bigint NOT NULL DEFAULT 0
);

CREATE TABLE users (
  id text PRIMARY KEY REFERENCES spaces (id) ON DELETE CASCADE,
  email text NOT NULL UNIQUE CHECK (email = lower(email)),
  name text CHECK (char_length(name) BETWEEN 1 AND 255),
  password_hash text,
  avatar text,
  provider text,
  created_at timestamptz(3) NOT NULL DEFAULT now()
);

CREATE TABLE avatars (
  name text PRIMARY KEY,
  user_id text NOT NULL UNIQUE REFERENCES users (id) ON DELETE CASCADE,
  bytes bytea NOT NULL
);
-- Pictures are compressed already, and uncompressed values can be read in pieces.
ALTER TABLE avatars ALTER COLUMN bytes SET STORAGE EXTERNAL;

CREATE TABLE preferences (
  user_id text PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  email_enabled boolean NOT NULL DEFAULT true,
  reminder_before integer NOT NULL DEFAULT 30 CHECK (reminder_before BETWEEN 0 AND 40320),
  task_remainders boolean NOT NULL DEFAULT true,
  automatic_remainder boolean NOT NULL DEFAULT false,
  daily_digest boolean NOT NULL DEFAULT false,
  digest_time text CHECK (digest_time ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$'),
  time_zone text NOT NULL DEFAULT 'UTC',
  activity_mails "ActivityMails" NOT NULL DEFAULT 'ALL'
);

CREATE TABLE memberships (
  space_id text NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
  user_id text NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  role "WorkspaceRole" NOT NULL DEFAULT 'EDITOR',
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (space_id, user_id)
);
CREATE INDEX memberships_user_id_idx ON memberships (user_id);

-- Deleted when accepted, declined or revoked, with the workspace or inviter, and some time after the expiry.
CREATE TABLE invitations (
  id text PRIMARY KEY,
  space_id text NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
  email text NOT NULL,
  role "WorkspaceRole" NOT NULL DEFAULT 'EDITOR',
  invited_by_id text NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  expires_at timestamptz(3) NOT NULL,
  CONSTRAINT invitations_space_id_email_key UNIQUE (space_id, email)
);
CREATE INDEX invitations_email_idx ON invitations (email);
CREATE INDEX invitations_invited_by_id_idx ON invitations (invited_by_id);
CREATE INDEX invitations_expires_at_idx ON invitations (expires_at);

-- All readers use this view, which follows the database's clock.
CREATE VIEW open_invitations AS SELECT * FROM invitations WHERE expires_at > statement_timestamp();

-- Of the last day, for quotas. Rows outlive their sender's account: deleting accounts must not allow unlimited mails to an
-- address.
CREATE TABLE sent_invitations (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  invited_by_id text REFERENCES users (id) ON DELETE SET NULL,
  email text NOT NULL,
  sent_at timestamptz(3) NOT NULL DEFAULT statement_timestamp()
);
CREATE INDEX sent_invitations_invited_by_id_sent_at_idx ON sent_invitations (invited_by_id, sent_at);
CREATE INDEX sent_invitations_email_sent_at_idx ON sent_invitations (email, sent_at);
CREATE INDEX sent_invitations_sent_at_idx ON sent_invitations (sent_at);

-- Signing in ------------------------------------------------------------------------------------

CREATE TYPE "CodePurpose" AS ENUM ('SIGN_UP', 'PASSWORD_RESET', 'EMAIL_CHANGE');

-- Only the newest code of a purpose and subject is valid: the highest id, regardless of clocks. Codes of an address are issued
-- one after the other.
CREATE TABLE one_time_codes (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  purpose "CodePurpose" NOT NULL DEFAULT 'SIGN_UP',
  subject text NOT NULL,
  email text NOT NULL,
  code_hash text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  expires_at timestamptz(3) NOT NULL,
  attempts integer NOT NULL DEFAULT 0,
  consumed_at timestamptz(3),
  -- Belongs to the account once that exists.
  delivery_id text
);
CREATE INDEX one_time_codes_subject_id_idx ON one_time_codes (subject, id);
CREATE INDEX one_time_codes_email_id_idx ON one_time_codes (email, id);
CREATE INDEX one_time_codes_created_at_idx ON one_time_codes (created_at);

-- Encrypted by a key of SESSION_SECRET, whose name is `key_name`. Recovery codes are hashed by the secret.
CREATE TABLE totp_factors (
  user_id text PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  secret bytea,
  pending bytea,
  key_name text NOT NULL,
  -- No step is used twice.
  used_step bigint NOT NULL DEFAULT 0,
  recovery_hashes text[] NOT NULL DEFAULT '{}'
);
CREATE TABLE passkeys (
  id text PRIMARY KEY,
  user_id text NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 255),
  credential_id text NOT NULL UNIQUE,
  public_key bytea NOT NULL,
  counter bigint NOT NULL,
  transports text[],
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  last_used_at timestamptz(3)
);
CREATE INDEX passkeys_user_id_idx ON passkeys (user_id);

-- `sid` and `expire` are named as in connect-pg-simple. `sid` is secret, so users see `id`.
CREATE TABLE sessions (
  sid text PRIMARY KEY,
  id text NOT NULL CONSTRAINT sessions_id_key UNIQUE,
  user_id text NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  device text NOT NULL CHECK (char_length(device) BETWEEN 1 AND 100),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  last_used_at timestamptz(3) NOT NULL DEFAULT now(),
  expire timestamptz(3) NOT NULL
);
CREATE INDEX sessions_user_id_idx ON sessions (user_id);
CREATE INDEX sessions_expire_idx ON sessions (expire);

-- Revoking sets the expiry. The row is deleted after the last write under it, like a session.
CREATE TABLE access_tokens (
  hash text PRIMARY KEY,
  id text NOT NULL CONSTRAINT access_tokens_id_key UNIQUE,
  user_id text NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 100),
  scopes "TokenScope"[] NOT NULL CHECK (scopes <> '{}'),
  -- NULL: all of its user's, including later ones.
  space_ids text[] CHECK (space_ids <> '{}'),
  -- As in src/accounts/credentials.ts. No secret leads to a row of the kind 'application': the grant of an account to an
  -- application. Its rows of the kind 'token' refer to it.
  kind text NOT NULL DEFAULT 'token',
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  last_used_at timestamptz(3),
  expires_at timestamptz(3),
  grant_id text REFERENCES access_tokens (id) ON DELETE CASCADE,
  -- Of a grant: a hash of the client id, where the browser went, and the number of the newest refresh token (0: none).
  client text,
  redirect_host text,
  refresh_number integer,
  CHECK ((kind = 'application') = (num_nonnulls(client, redirect_host, refresh_number) = 3))
);
CREATE INDEX access_tokens_user_id_idx ON access_tokens (user_id);
CREATE INDEX access_tokens_grant_id_idx ON access_tokens (grant_id);
CREATE INDEX access_tokens_expires_at_idx ON access_tokens (expires_at);

CREATE TABLE provider_links (
  issuer text NOT NULL,
  subject text NOT NULL CHECK (char_length(subject) <= 255),
  user_id text NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  provider text NOT NULL,
  linked_at timestamptz(3) NOT NULL DEFAULT now(),
  -- Not named as a key of ids, because no client chooses it.
  CONSTRAINT provider_links_issuer_subject_key PRIMARY KEY (issuer, subject)
);
CREATE INDEX provider_links_user_id_idx ON provider_links (user_id);

-- Each works once. The hash covers all values that must be the same when the browser comes back.
CREATE TABLE pending_sign_ins (
  key_hash text PRIMARY KEY,
  about jsonb NOT NULL,
  expires_at timestamptz(3) NOT NULL
);
CREATE INDEX pending_sign_ins_expires_at_idx ON pending_sign_ins (expires_at);

CREATE VIEW credentials AS
  SELECT sid AS key, id, user_id, 'session' AS kind, device AS label, 'all' AS rights, NULL::text[] AS space_ids,
    created_at, last_used_at, expire AS ends_at
  FROM sessions
  UNION ALL
  SELECT hash, coalesce(grant_id, id), user_id, kind, name, CASE WHEN 'WRITE' = ANY (scopes) THEN 'write' ELSE 'read' END, space_ids,
    created_at, last_used_at, coalesce(expires_at, 'infinity')
  FROM access_tokens;

-- For mails about other devices. Fingerprints are keyed, and differ by account: they reveal neither device nor
-- address.
CREATE TABLE known_devices (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  user_id text NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  fingerprint text NOT NULL,
  first_seen_at timestamptz(3) NOT NULL DEFAULT now(),
  last_seen_at timestamptz(3) NOT NULL DEFAULT now(),
  UNIQUE (user_id, fingerprint)
);
CREATE INDEX known_devices_last_seen_at_idx ON known_devices (last_seen_at);

-- `revision`, raised without a log entry, orders a key in the personal space; `transaction_id`, in other spaces. See
-- docs/decisions/0810.
CREATE TABLE idempotency_keys (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  user_id text NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  key text NOT NULL,
  fingerprint bytea NOT NULL,
  -- Empty after its expiry.
  body bytea NOT NULL,
  revision bigint NOT NULL,
  transaction_id bigint NOT NULL DEFAULT (pg_current_xact_id()::text::bigint),
  operation_id text,
  created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  UNIQUE (user_id, key),
  UNIQUE (user_id, revision)
);
CREATE INDEX idempotency_keys_created_at_idx ON idempotency_keys (created_at);
-- Responses that are still stored.
CREATE INDEX idempotency_keys_stored_idx ON idempotency_keys (created_at) WHERE body <> '';

CREATE TABLE password_attempts (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  subject text NOT NULL,
  at timestamptz(3) NOT NULL DEFAULT now(),
  failed boolean NOT NULL DEFAULT false
);
CREATE INDEX password_attempts_subject_at_idx ON password_attempts (subject, at);
CREATE INDEX password_attempts_at_idx ON password_attempts (at);

-- Keys are bounded (docs/decisions/0620). PostgreSQL's clock counts.
CREATE TABLE rate_limits (
  key text PRIMARY KEY,
  points integer NOT NULL,
  expires_at timestamptz(3) NOT NULL
);
CREATE INDEX rate_limits_expires_at_idx ON rate_limits (expires_at);

-- Projects and sections -------------------------------------------------------------------------

-- Sorts by ICU's root collation: without case, and accents beside their letters.
CREATE TABLE projects (
  id text PRIMARY KEY,
  space_id text NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
  name text NOT NULL COLLATE "und-x-icu" CHECK (char_length(name) BETWEEN 1 AND 255),
  slug text NOT NULL,
  is_default boolean NOT NULL DEFAULT false,
  view_mode "ViewMode",
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  UNIQUE (id, space_id)
);
CREATE INDEX projects_space_id_created_at_idx ON projects (space_id, created_at);
CREATE UNIQUE INDEX projects_inbox_key ON projects (space_id) WHERE is_default;

-- Compared as bytes: only then is fractional-indexing's "Zz" < "a0".
CREATE TABLE sections (
  id text PRIMARY KEY,
  project_id text NOT NULL,
  space_id text NOT NULL,
  name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 255),
  sort_key text NOT NULL COLLATE "C",
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  UNIQUE (id, project_id),
  -- A section is in its project's space.
  FOREIGN KEY (project_id, space_id) REFERENCES projects (id, space_id) ON DELETE CASCADE
);
CREATE INDEX sections_project_id_sort_key_idx ON sections (project_id, sort_key);

-- Tasks and tags --------------------------------------------------------------------------------

CREATE TABLE tasks (
  id text PRIMARY KEY,
  -- No foreign key: the project's implies it, and each new task would look it up again.
  space_id text NOT NULL,
  project_id text NOT NULL,
  section_id text REFERENCES sections (id) ON DELETE SET NULL,
  parent_id text,
  -- Sorts as a dictionary, in any locale of the database.
  title text NOT NULL COLLATE "und-x-icu" CHECK (char_length(title) BETWEEN 1 AND 500),
  -- Bounds responses. In code points, as the service counts.
  description text CHECK (char_length(description) <= 16384),
  priority "Priority",
  due_date date,
  due_time timestamptz(3),
  is_all_day boolean DEFAULT true,
  completed boolean NOT NULL DEFAULT false,
  completed_at timestamptz(3),
  color text CHECK (color ~ '^#([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6}|[0-9A-Fa-f]{8})$'),
  sort_key text NOT NULL COLLATE "C" CHECK (sort_key ~ '^[ -~]+$'),
  reminder boolean NOT NULL DEFAULT false,
  -- The task's occurrence of a series: `Recurrence` in src/recurrence/series.ts. Null: the task does not repeat.
  recurrence jsonb,
  -- In the order of assignment. Triggers keep to members of the space (prisma/functions/task_assignees.sql).
  assignee_ids text[] NOT NULL DEFAULT '{}' CHECK (cardinality(assignee_ids) <= 10),
  -- Null if not known. No foreign key, because each new task would look it up; `forget_user` forgets deleted accounts.
  created_by_id text,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  -- Set by a trigger (prisma/functions/task_words.sql): each update would compute a generated column.
  search tsvector NOT NULL,
  UNIQUE (id, project_id),
  UNIQUE (id, space_id),
  CHECK (completed = (completed_at IS NOT NULL)),
  CHECK (due_time IS NULL OR is_all_day IS FALSE),
  CHECK (parent_id <> id),
  -- A series has one open occurrence. Deferred: an undo closes one and opens another, in any order.
  CONSTRAINT tasks_open_occurrence_excl EXCLUDE USING btree ((recurrence ->> 'seriesId') WITH =)
    WHERE (NOT completed AND recurrence IS NOT NULL) DEFERRABLE INITIALLY DEFERRED,
  -- A task is in its project's space; its parent and section are in its project. Deferred, because moves of sections and
  -- subtrees pass through other states.
  FOREIGN KEY (project_id, space_id) REFERENCES projects (id, space_id) ON DELETE CASCADE,
  CONSTRAINT tasks_parent_fkey FOREIGN KEY (parent_id, project_id) REFERENCES tasks (id, project_id)
    ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
  CONSTRAINT tasks_section_in_project_fkey FOREIGN KEY (section_id, project_id) REFERENCES sections (id, project_id)
    DEFERRABLE INITIALLY DEFERRED
)
-- Room for versions of a row on its page, without new index entries: see docs/decisions/0503.
WITH (fillfactor = 60);
CREATE INDEX tasks_space_id_sort_key_idx ON tasks (space_id, sort_key, id);
CREATE INDEX tasks_project_id_sort_key_idx ON tasks (project_id, sort_key, id);
CREATE INDEX tasks_section_id_sort_key_idx ON tasks (section_id, sort_key, id) WHERE section_id IS NOT NULL;
CREATE INDEX tasks_parent_id_sort_key_idx ON tasks (parent_id, sort_key, id) WHERE parent_id IS NOT NULL;
CREATE INDEX tasks_space_id_completed_at_idx ON tasks (space_id, completed_at DESC, id) WHERE completed;
CREATE INDEX tasks_space_id_due_date_idx ON tasks (space_id, due_date, id);
CREATE INDEX tasks_space_id_created_at_idx ON tasks (space_id, created_at, id);
-- The order of `claimTask` by a filter: without it, each claim sorts all open tasks of a space.
CREATE INDEX tasks_claim_order_idx ON tasks (space_id, priority DESC NULLS LAST, due_date, due_time, sort_key, id) WHERE NOT completed;
-- Open tasks by due time; 09:00 UTC if they have only a date. `dueKey` (src/notifications/reminder-data.ts) is the same
-- expression. No `reminder` in the condition: see docs/decisions/0503.
CREATE INDEX tasks_space_id_due_key_idx ON tasks (space_id, (coalesce(due_time,
  (least(due_date, '9999-12-31'::date)::timestamp + interval '9 hours') AT TIME ZONE 'UTC'
)), id) WHERE NOT completed AND coalesce(due_time,
  (least(due_date, '9999-12-31'::date)::timestamp + interval '9 hours') AT TIME ZONE 'UTC'
) IS NOT NULL;
CREATE INDEX tasks_created_by_id_idx ON tasks (created_by_id) WHERE created_by_id IS NOT NULL;
CREATE INDEX tasks_series_id_idx ON tasks ((recurrence ->> 'seriesId')) WHERE recurrence IS NOT NULL;
-- Searches read all pending entries, and the planner counts them: at 4 MB, searches scanned all tasks of a space. Short lists
-- cost writers nothing measurable.
CREATE INDEX tasks_search_idx ON tasks USING gin (space_id, search) WITH (gin_pending_list_limit = 128);

-- Finds tasks by `assignee_ids`; a trigger keeps it (prisma/functions/task_assignees.sql). With an index of the column, an
-- assignment would also write the other indexes of tasks.
CREATE TABLE task_assignees (
  task_id text,
  user_id text,
  PRIMARY KEY (user_id, task_id)
);
CREATE INDEX task_assignees_task_id_idx ON task_assignees (task_id);

CREATE TABLE tags (
  id text PRIMARY KEY,
  space_id text NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
  name text NOT NULL COLLATE "und-x-icu" CHECK (char_length(name) BETWEEN 1 AND 255),
  color "TagColor" NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  UNIQUE (id, space_id),
  CONSTRAINT tags_space_id_name_key UNIQUE (space_id, name) DEFERRABLE
);

-- prisma/functions/tracked_tables.sql removes the tags of deleted tasks by one statement.
CREATE TABLE task_tags (
  task_id text NOT NULL REFERENCES tasks (id) DEFERRABLE INITIALLY DEFERRED,
  tag_id text NOT NULL,
  space_id text NOT NULL,
  PRIMARY KEY (task_id, tag_id),
  FOREIGN KEY (tag_id, space_id) REFERENCES tags (id, space_id) ON DELETE CASCADE
);
CREATE INDEX task_tags_tag_id_idx ON task_tags (tag_id);

-- A comment is in its task's space. prisma/functions/tracked_tables.sql deletes and moves the comments of tasks by one statement.
CREATE TABLE comments (
  id text PRIMARY KEY,
  task_id text NOT NULL,
  space_id text NOT NULL,
  author_id text REFERENCES users (id) ON DELETE SET NULL,
  text text NOT NULL CHECK (char_length(text) BETWEEN 1 AND 16384),
  created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  edited_at timestamptz(3),
  -- Set by a trigger (prisma/functions/search_comments.sql).
  search tsvector NOT NULL,
  CONSTRAINT comments_task_fkey FOREIGN KEY (task_id, space_id) REFERENCES tasks (id, space_id) DEFERRABLE INITIALLY DEFERRED
);
CREATE INDEX comments_task_id_created_at_idx ON comments (task_id, created_at, id);
CREATE INDEX comments_space_id_id_idx ON comments (space_id, id);
CREATE INDEX comments_author_id_space_id_idx ON comments (author_id, space_id);
CREATE INDEX comments_search_idx ON comments USING gin (search) WITH (gin_pending_list_limit = 128);

-- See docs/decisions/0502. Words without tasks remain, and find nothing.
CREATE TABLE task_words (
  space_id text NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
  word text NOT NULL COLLATE "C",
  PRIMARY KEY (space_id, word)
);

-- With LC_CTYPE=C, pg_trgm skips letters outside ASCII, so ASCII replaces them; if two share one, words seem slightly more
-- similar. The cost makes the planner use the index: for an average space, it would scan all words of a large one.
CREATE FUNCTION trigram_letters(word text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT COST 10000 AS $$
  SELECT CASE WHEN word ~ '^[ -~]*$' COLLATE "C" THEN word ELSE (
    SELECT string_agg(
      CASE WHEN ascii(sign) < 128 THEN sign
      ELSE substr('0123456789abcdefghijklmnopqrstuvwxyz', 1 + ascii(sign) % 36, 1) END, '' ORDER BY place)
    FROM regexp_split_to_table(word, '') WITH ORDINALITY AS each (sign, place)
  ) END
$$;
-- A number is never a misspelt number, and very long words are no words.
CREATE INDEX task_words_likeness_idx ON task_words USING gin (space_id, trigram_letters(word) gin_trgm_ops)
  WITH (gin_pending_list_limit = 128)
  WHERE word ~ '[^-+.0-9]' AND char_length(word) <= 64;

-- The change log --------------------------------------------------------------------------------

-- All entities that a statement changed in the same way in a space: see docs/decisions/0800. Triggers write under the space's
-- lock, so a foreign key could refuse nothing.
CREATE TABLE changes (
  space_id text NOT NULL,
  revision bigint NOT NULL,
  transaction_id bigint NOT NULL DEFAULT (pg_current_xact_id()::text::bigint),
  part integer NOT NULL DEFAULT 0,
  type "EntityType" NOT NULL,
  kind "ChangeKind" NOT NULL,
  entity_ids text[] NOT NULL,
  entity_count integer NOT NULL,
  fields text[] NOT NULL DEFAULT '{}',
  project_id text,
  previous_project_id text,
  operation_id text COLLATE "C" NOT NULL,
  at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  history_nonce integer NOT NULL,
  period smallint NOT NULL,
  -- PostgreSQL requires `period`.
  PRIMARY KEY (space_id, revision, period)
) PARTITION BY LIST (period);
-- Ids hardly compress.
ALTER TABLE changes ALTER COLUMN entity_ids SET STORAGE EXTERNAL;
-- These have no images.
CREATE INDEX changes_settings_idx ON changes (operation_id) WHERE type IN ('USER', 'WORKSPACE');
-- A page of the log ends with a part of a transaction.
CREATE INDEX changes_transaction_id_part_idx ON changes (transaction_id, part);
-- See docs/decisions/0800.
CREATE TABLE changes_0 PARTITION OF changes FOR VALUES IN (0);
CREATE TABLE changes_1 PARTITION OF changes FOR VALUES IN (1);
CREATE TABLE changes_2 PARTITION OF changes FOR VALUES IN (2);
CREATE TABLE log_period (
  number smallint PRIMARY KEY,
  began_at timestamptz NOT NULL DEFAULT now(),
  -- When all spaces began after the next partition's changes, and the snapshot that read those.
  raised_at timestamptz,
  raised_snapshot pg_snapshot
);
INSERT INTO log_period VALUES (0);

CREATE VIEW task_changes AS
  SELECT space_id, revision, transaction_id, part, entity_ids AS task_ids, entity_count AS task_count, kind, fields,
    project_id, previous_project_id, operation_id, at, history_nonce
  FROM changes WHERE type = 'TASK';

-- Each reader inserts its row. See docs/decisions/0802.
CREATE TABLE log_readers (
  name text PRIMARY KEY,
  -- Everything committed then has been read. Null: nothing.
  position pg_snapshot,
  -- Being read, page by page, up to the following part of a transaction, or space. Null: nothing.
  target pg_snapshot,
  after_transaction_id bigint NOT NULL DEFAULT 0,
  after_part integer NOT NULL DEFAULT 0,
  after_space_id text NOT NULL DEFAULT ''
);

-- The history -----------------------------------------------------------------------------------

-- The id is made under the space's lock: in a space, ids are in the order of commits, as bytes. Like the log, without
-- references.
CREATE TABLE operations (
  id text COLLATE "C" NOT NULL,
  space_id text NOT NULL,
  actor_id text,
  client text,
  undo_of text,
  undone_by text,
  at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (id, space_id)
);
CREATE INDEX operations_space_id_id_idx ON operations (space_id, id);
CREATE INDEX operations_actor_id_idx ON operations (actor_id) WHERE actor_id IS NOT NULL;

-- An image is a JSON object of columns: changed ones as [before, after] for an update; the whole row for a deletion and both
-- sides of a move between spaces; none for a creation. Tags of tasks are in their owner's space.
CREATE TABLE history (
  operation_id text COLLATE "C" NOT NULL,
  position bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  space_id text NOT NULL,
  type "EntityType" NOT NULL,
  kind "ChangeKind" NOT NULL,
  entity_ids text[] NOT NULL,
  images text[],
  -- For tags, the tasks' space: only members of both spaces see the row. Null: same as space_id.
  entity_space_id text,
  -- Of comments: others do not see their images, which go with the author's account.
  author_id text,
  -- To or from another space.
  is_move boolean NOT NULL DEFAULT false,
  -- Tags that went with a task.
  is_hidden boolean NOT NULL DEFAULT false,
  -- Follows from the person's action, such as the next occurrence from a completion.
  is_consequence boolean NOT NULL DEFAULT coalesce(current_setting('taskgate.consequence', true), '') <> '',
  PRIMARY KEY (operation_id, position)
);
CREATE INDEX history_author_id_idx ON history (author_id) WHERE author_id IS NOT NULL;
CREATE INDEX history_entity_ids_idx ON history USING gin (entity_ids) WITH (gin_pending_list_limit = 512);
-- New sort keys for all tasks of a project. An undo follows later ones.
CREATE INDEX history_sort_keys_idx ON history (space_id, operation_id)
  WHERE type = 'TASK' AND kind = 'UPDATED' AND cardinality(entity_ids) > 1 AND images[1] LIKE '{"sort_key":%';

-- Inserted by a deletion, removed by a restore or undo. Keeps the id taken. Only entities that can be restored are in the
-- trash: see src/history/trash-data.ts.
CREATE TABLE trash (
  entity_id text PRIMARY KEY,
  type "EntityType" NOT NULL,
  -- Null: the space is deleted too, but another space knows the id.
  space_id text,
  operation_id text COLLATE "C" NOT NULL,
  -- Entity whose deletion included this one, such as a task's project. Null: top of the deletion.
  within_id text,
  -- Of a comment.
  author_id text,
  -- Spaces whose images are being erased; empty when done. Null: it can be restored.
  erased_from text[]
);
CREATE INDEX trash_tops_idx ON trash (space_id, operation_id) WHERE within_id IS NULL AND erased_from IS NULL;
CREATE INDEX trash_within_id_idx ON trash (within_id) WHERE within_id IS NOT NULL;
CREATE INDEX trash_operation_id_idx ON trash (operation_id);
CREATE INDEX trash_author_id_idx ON trash (author_id) WHERE author_id IS NOT NULL;
CREATE INDEX trash_erased_from_idx ON trash (erased_from) WHERE erased_from <> '{}';

CREATE TABLE history_settings (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  days integer NOT NULL DEFAULT 30
);
INSERT INTO history_settings DEFAULT VALUES;

-- Mails -----------------------------------------------------------------------------------------

CREATE TYPE "DeliveryKind" AS ENUM ('CODE', 'NOTICE', 'TEST', 'REMINDER', 'DIGEST', 'ACTIVITY');
CREATE TYPE "DeliveryStatus" AS ENUM ('PLANNED', 'SENT', 'SKIPPED', 'FAILED');
CREATE TYPE "DeliveryQueue" AS ENUM ('CODE', 'CODE_RETRY', 'NOTICE', 'REMINDER', 'DIGEST', 'ACTIVITY', 'RETRY');

-- An occurrence is a task's due time or a user's local day; for other kinds, the mail itself.
CREATE TABLE deliveries (
  id text PRIMARY KEY,
  user_id text REFERENCES users (id) ON DELETE CASCADE,
  kind "DeliveryKind" NOT NULL,
  occurrence text NOT NULL,
  -- No references: the record outlives them.
  task_id text,
  space_id text,
  due_at timestamptz(3),
  at timestamptz(3) NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  status "DeliveryStatus" NOT NULL DEFAULT 'PLANNED',
  reason text,
  sent_at timestamptz(3),
  message bytea,
  attempts integer NOT NULL DEFAULT 0,
  lease integer NOT NULL DEFAULT 0,
  -- After the end of a claim.
  next_at timestamptz(3) NOT NULL,
  leased_until timestamptz(3),
  -- Retries do not delay first attempts.
  queue "DeliveryQueue" NOT NULL GENERATED ALWAYS AS (
    CASE WHEN kind = 'CODE' AND attempts = 0 THEN 'CODE'::"DeliveryQueue"
      WHEN kind = 'CODE' THEN 'CODE_RETRY'::"DeliveryQueue"
      WHEN attempts > 0 THEN 'RETRY'::"DeliveryQueue"
      WHEN kind = 'REMINDER' THEN 'REMINDER'::"DeliveryQueue"
      WHEN kind = 'DIGEST' THEN 'DIGEST'::"DeliveryQueue"
      WHEN kind = 'ACTIVITY' THEN 'ACTIVITY'::"DeliveryQueue"
      ELSE 'NOTICE'::"DeliveryQueue" END
  ) STORED,
  created_at timestamptz(3) NOT NULL DEFAULT statement_timestamp(),
  CONSTRAINT deliveries_occurrence_key UNIQUE (user_id, kind, occurrence),
  CHECK ((reason IS NOT NULL) = (status IN ('SKIPPED', 'FAILED'))),
  CHECK ((sent_at IS NOT NULL) = (status = 'SENT')),
  CHECK ((kind = 'REMINDER') = (task_id IS NOT NULL AND space_id IS NOT NULL AND due_at IS NOT NULL))
);
CREATE INDEX deliveries_queue_next_at_idx ON deliveries (queue, next_at) WHERE status = 'PLANNED';
CREATE INDEX deliveries_user_id_at_idx ON deliveries (user_id, at, id);
CREATE INDEX deliveries_task_id_user_id_idx ON deliveries (task_id, user_id) WHERE task_id IS NOT NULL;
CREATE INDEX deliveries_space_id_created_at_idx ON deliveries (space_id, created_at) WHERE task_id IS NOT NULL;
CREATE INDEX deliveries_at_idx ON deliveries (at);
-- Later events join the mail that is planned.
CREATE UNIQUE INDEX deliveries_activity_key ON deliveries (user_id) WHERE kind = 'ACTIVITY' AND status = 'PLANNED';

CREATE TABLE mail_settings (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  notification_seconds integer NOT NULL DEFAULT 300
);
INSERT INTO mail_settings DEFAULT VALUES;

-- Writers only insert, so none waits for a planner. A continued scan gets a new row, so spaces take turns by id. See
-- docs/decisions/0821.
CREATE TABLE planning_queue (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- No reference: deleting a space must not wait for a planner.
  space_id text NOT NULL,
  at timestamptz(3) NOT NULL DEFAULT statement_timestamp(),
  -- By the planner's clock; null: now.
  due_at timestamptz(3),
  -- After a failure.
  retry_at timestamptz(3),
  -- Due times after this have not been scanned; null: time of the scan.
  since timestamptz(3),
  after_key timestamptz(3),
  after_task_id text,
  -- Another scan follows.
  is_asked_again boolean NOT NULL DEFAULT false
);
CREATE INDEX planning_queue_ready_idx ON planning_queue (id) WHERE due_at IS NULL;
CREATE INDEX planning_queue_due_at_idx ON planning_queue (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX planning_queue_space_id_idx ON planning_queue (space_id);

-- Webhooks --------------------------------------------------------------------------------------

CREATE TYPE "WebhookState" AS ENUM ('ACTIVE', 'FAILING', 'PAUSED', 'DISABLED');

-- A row of the outbox that is never sent for good: it is due while there may be changes after its position. PLANNED has
-- attempts, SKIPPED is paused, FAILED is disabled. See docs/decisions/1000.
CREATE TABLE webhooks (
  id text PRIMARY KEY,
  user_id text NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  -- Null: a session made it. Otherwise it ends with the token.
  token_id text REFERENCES access_tokens (id) ON DELETE CASCADE,
  url text NOT NULL CHECK (char_length(url) <= 2048),
  kinds "ChangeKind"[] NOT NULL CHECK (kinds <> '{}'),
  fields text[] CHECK (fields <> '{}'),
  space_ids text[] CHECK (space_ids <> '{}'),
  max_changes integer NOT NULL CHECK (max_changes BETWEEN 1 AND 500),
  -- Encrypted: 32 bytes, after a rotation with the 32 bytes before.
  secrets bytea NOT NULL,
  rotated_at timestamptz(3),
  key_name text NOT NULL,
  -- A cursor of the change log: the endpoint has taken everything before.
  position text NOT NULL,
  -- The next message, fixed before its first attempt.
  message_id text,
  message jsonb,
  failures integer NOT NULL DEFAULT 0,
  failing_since timestamptz(3),
  is_reported boolean NOT NULL DEFAULT false,
  -- Changes of its spaces since it was last read. A difference means that there may be more.
  wakes bigint NOT NULL DEFAULT 0,
  at timestamptz(3) NOT NULL DEFAULT now(),
  -- Null: there is nothing to send.
  next_at timestamptz(3),
  leased_until timestamptz(3),
  expires_at timestamptz(3) NOT NULL DEFAULT '9999-01-01Z',
  status "DeliveryStatus" NOT NULL DEFAULT 'PLANNED',
  reason text,
  sent_at timestamptz(3),
  attempts integer NOT NULL DEFAULT 0,
  lease integer NOT NULL DEFAULT 0,
  state "WebhookState" NOT NULL GENERATED ALWAYS AS (
    CASE WHEN status = 'SKIPPED' THEN 'PAUSED'::"WebhookState"
      WHEN status = 'FAILED' THEN 'DISABLED'::"WebhookState"
      WHEN failing_since IS NOT NULL THEN 'FAILING'::"WebhookState"
      ELSE 'ACTIVE'::"WebhookState" END
  ) STORED,
  CHECK ((message_id IS NULL) = (message IS NULL))
);
CREATE INDEX webhooks_user_id_idx ON webhooks (user_id);
CREATE INDEX webhooks_token_id_idx ON webhooks (token_id) WHERE token_id IS NOT NULL;
CREATE INDEX webhooks_next_at_idx ON webhooks (next_at) WHERE status = 'PLANNED';

-- Webhooks as credentials: no request brings one.
CREATE VIEW webhook_credentials AS
  SELECT webhooks.id AS key, coalesce(token.id, webhooks.id) AS id, webhooks.user_id, coalesce(token.name, '') AS label,
    'read' AS rights, CASE WHEN token.space_ids IS NULL THEN webhooks.space_ids WHEN webhooks.space_ids IS NULL THEN token.space_ids
      ELSE ARRAY (SELECT unnest(webhooks.space_ids) INTERSECT SELECT unnest(token.space_ids)) END AS space_ids,
    coalesce(token.expires_at, 'infinity') AS ends_at
  FROM webhooks LEFT JOIN access_tokens AS token ON token.id = webhooks.token_id;

-- The last 50 of a webhook.
CREATE TABLE webhook_attempts (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  webhook_id text NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
  message_id text NOT NULL,
  type text NOT NULL,
  at timestamptz(3) NOT NULL,
  ms integer NOT NULL,
  changes integer NOT NULL,
  status integer,
  error text
);
CREATE INDEX webhook_attempts_webhook_id_id_idx ON webhook_attempts (webhook_id, id);

-- Claims ----------------------------------------------------------------------------------------

-- A task that somebody works on. Triggers delete it with the task (prisma/functions/claims.sql), because a foreign key would look up
-- each task of a bulk. See docs/programs.md.
CREATE TABLE claims (
  -- Larger for each later claim.
  fence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  task_id text NOT NULL UNIQUE,
  user_id text NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  -- In `credentials`.
  credential_id text NOT NULL,
  -- Device of the session, or name of the token.
  client text,
  since timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  expires_at timestamptz(3) NOT NULL
);
CREATE INDEX claims_user_id_idx ON claims (user_id);

-- A claim in force, with the key of its credential and the space of its task. Its task is open, and its holder can see it by the
-- credential. The row of another claim is deleted soon.
CREATE VIEW claims_in_force AS
  SELECT claims.*, credentials.key, tasks.space_id
  FROM claims
  JOIN tasks ON tasks.id = claims.task_id AND NOT tasks.completed
  JOIN memberships ON memberships.user_id = claims.user_id AND memberships.space_id = tasks.space_id
  JOIN credentials ON credentials.id = claims.credential_id AND credentials.ends_at > clock_timestamp()
    AND (credentials.space_ids IS NULL OR tasks.space_id = ANY (credentials.space_ids))
  -- A claim lasts an hour at most. One that ends later was made before the clock was set back. Small corrections end none.
  WHERE claims.expires_at BETWEEN clock_timestamp() AND clock_timestamp() + interval '1 hour 1 minute';

-- Notifications ---------------------------------------------------------------------------------

-- In display order, the stronger first.
CREATE TYPE "NotificationReason" AS ENUM ('MENTIONED', 'ASSIGNED', 'COMMENTED');

-- Triggers remove events with their causes (prisma/functions/notifications.sql). Foreign keys would look up each row of a bulk.
CREATE TABLE notification_events (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  user_id text NOT NULL,
  task_id text NOT NULL,
  comment_id text,
  reason "NotificationReason" NOT NULL,
  actor_id text,
  -- After the locks, so that the events of a task are in the order of their commits.
  created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  read_at timestamptz(3),
  mailed_at timestamptz(3)
);
CREATE INDEX notification_events_user_id_created_at_idx ON notification_events (user_id, created_at, id);
CREATE INDEX notification_events_task_id_idx ON notification_events (task_id, user_id, created_at);
CREATE INDEX notification_events_unread_idx ON notification_events (user_id, task_id) WHERE read_at IS NULL;
CREATE INDEX notification_events_comment_id_idx ON notification_events (comment_id) WHERE comment_id IS NOT NULL;
-- For the deletion of an account.
CREATE INDEX notification_events_actor_id_idx ON notification_events (actor_id);
CREATE INDEX notification_events_created_at_idx ON notification_events (created_at);

CREATE TABLE task_mutes (
  task_id text,
  user_id text,
  PRIMARY KEY (task_id, user_id)
);
CREATE INDEX task_mutes_user_id_idx ON task_mutes (user_id);
