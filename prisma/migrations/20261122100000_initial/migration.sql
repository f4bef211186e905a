-- The structure of the database. What runs in it, functions and triggers, stands in ../../functions as it is now; only a
-- function of an index is part of the structure.

-- Trigram matching for the search; in PostgreSQL's contrib set and trusted, so a database's owner may create it.
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE EXTENSION IF NOT EXISTS btree_gin;

CREATE TYPE "SpaceKind" AS ENUM ('PERSONAL', 'WORKSPACE');
CREATE TYPE "ViewMode" AS ENUM ('LIST', 'BOARD', 'CALENDAR');
-- In the order by which lists are sorted.
CREATE TYPE "Priority" AS ENUM ('LOW', 'MEDIUM', 'HIGH');
CREATE TYPE "TagColor" AS ENUM ('BLUE', 'RED', 'GREEN', 'YELLOW', 'PURPLE', 'ORANGE', 'PINK');
CREATE TYPE "EntityType" AS ENUM ('USER', 'WORKSPACE', 'PROJECT', 'SECTION', 'TAG', 'TASK');
CREATE TYPE "TokenScope" AS ENUM ('READ', 'WRITE');
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

-- What is shown in a space without being written to it: the names of its members, its invitations, and in a personal
-- space the invitations to its user's address. A revision of its own, for who raises it may have nothing to do with the
-- space, and must neither wait for its writers nor have them wait. It is raised last in a transaction, when all else is
-- locked, and so is held for a moment only.
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
-- Pictures are compressed already; what is stored as it is can be read piece by piece.
ALTER TABLE avatars ALTER COLUMN bytes SET STORAGE EXTERNAL;

CREATE TABLE preferences (
  user_id text PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  email_enabled boolean NOT NULL DEFAULT true,
  reminder_before integer NOT NULL DEFAULT 30 CHECK (reminder_before BETWEEN 0 AND 40320),
  task_remainders boolean NOT NULL DEFAULT true,
  automatic_remainder boolean NOT NULL DEFAULT false,
  daily_digest boolean NOT NULL DEFAULT false,
  digest_time text CHECK (digest_time ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$'),
  time_zone text NOT NULL DEFAULT 'UTC'
);

CREATE TABLE memberships (
  space_id text NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
  user_id text NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (space_id, user_id)
);
CREATE INDEX memberships_user_id_idx ON memberships (user_id);

-- The offer of a membership to the account with the address. A row goes when it is accepted, declined or revoked, with its
-- workspace, with the account that invited, and some time after it expired. Addresses are written as accounts write theirs.
CREATE TABLE invitations (
  id text PRIMARY KEY,
  space_id text NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
  email text NOT NULL,
  invited_by_id text NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  expires_at timestamptz(3) NOT NULL,
  CONSTRAINT invitations_space_id_email_key UNIQUE (space_id, email)
);
CREATE INDEX invitations_email_idx ON invitations (email);
CREATE INDEX invitations_invited_by_id_idx ON invitations (invited_by_id);
CREATE INDEX invitations_expires_at_idx ON invitations (expires_at);

-- What everybody reads: nobody can forget that an invitation ends, and it ends by the clock of the database.
CREATE VIEW open_invitations AS SELECT * FROM invitations WHERE expires_at > statement_timestamp();

-- The invitations of the last day, by whom and to whom, whatever became of them: the quota of an account and of an
-- address. They count towards the mails of their address also when the account that sent them is deleted: else deleting
-- accounts would be a way to send an address any number of mails. Whose they were is forgotten.
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

-- Of one purpose and subject the newest code alone counts: the one issued last, whatever a clock says. Codes of one address are
-- issued one after the other, so that their numbers have that order.
CREATE TABLE one_time_codes (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  purpose "CodePurpose" NOT NULL DEFAULT 'SIGN_UP',
  -- Who redeems it: an address, or, to change that, the id of the account.
  subject text NOT NULL,
  -- The address that it is mailed to.
  email text NOT NULL,
  code_hash text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  expires_at timestamptz(3) NOT NULL,
  attempts integer NOT NULL DEFAULT 0,
  consumed_at timestamptz(3),
  -- The mail that brings it, which becomes its reader's own with the account.
  delivery_id text
);
CREATE INDEX one_time_codes_subject_id_idx ON one_time_codes (subject, id);
CREATE INDEX one_time_codes_email_id_idx ON one_time_codes (email, id);
CREATE INDEX one_time_codes_created_at_idx ON one_time_codes (created_at);

-- The second factor of an account: codes of an authenticator app. Secrets are encrypted by a key of SESSION_SECRET, which `key_name`
-- names; recovery codes are hashed by the secret.
CREATE TABLE totp_factors (
  user_id text PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  -- In force.
  secret bytea,
  -- Begun, and not confirmed.
  pending bytea,
  key_name text NOT NULL,
  -- The last step of 30 seconds whose code was used: none is used twice.
  used_step bigint NOT NULL DEFAULT 0,
  -- Each is of a code that works once in place of one of the app.
  recovery_hashes text[] NOT NULL DEFAULT '{}'
);
CREATE TABLE passkeys (
  id text PRIMARY KEY,
  user_id text NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 255),
  credential_id text NOT NULL UNIQUE,
  public_key bytea NOT NULL,
  -- The authenticator's, of the last use, which only grows; 0: it does not count.
  counter bigint NOT NULL,
  transports text[],
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  last_used_at timestamptz(3)
);
CREATE INDEX passkeys_user_id_idx ON passkeys (user_id);

-- `sid` and `expire` are named as connect-pg-simple has them. What its user is shown of a session is an id of its own, as
-- what the cookie holds is a secret, and the device that signed in.
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

-- What programs come in by. A token is known by its hash alone. One that is revoked ends at once, by its moment, and is deleted when
-- nothing is written by it any more, as a session is.
CREATE TABLE access_tokens (
  hash text PRIMARY KEY,
  id text NOT NULL CONSTRAINT access_tokens_id_key UNIQUE,
  user_id text NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 100),
  scopes "TokenScope"[] NOT NULL CHECK (scopes <> '{}'),
  -- The only spaces that it reaches; NULL: all of its user's, later ones too.
  space_ids text[] CHECK (space_ids <> '{}'),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  last_used_at timestamptz(3),
  expires_at timestamptz(3)
);
CREATE INDEX access_tokens_user_id_idx ON access_tokens (user_id);
CREATE INDEX access_tokens_expires_at_idx ON access_tokens (expires_at);

-- Accounts of external providers: a subject of an issuer is of one account.
CREATE TABLE provider_links (
  issuer text NOT NULL,
  subject text NOT NULL CHECK (char_length(subject) <= 255),
  user_id text NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  -- Its name when it was linked.
  provider text NOT NULL,
  linked_at timestamptz(3) NOT NULL DEFAULT now(),
  -- Named as what is unique beside ids, as no client chooses it.
  CONSTRAINT provider_links_issuer_subject_key PRIMARY KEY (issuer, subject)
);
CREATE INDEX provider_links_user_id_idx ON provider_links (user_id);

-- What browsers have begun, each until it comes back: once. A sign-in with a provider, by its state, and a challenge of a passkey, with
-- all else that has to be the same then, are known by a hash.
CREATE TABLE pending_sign_ins (
  key_hash text PRIMARY KEY,
  about jsonb NOT NULL,
  expires_at timestamptz(3) NOT NULL
);
CREATE INDEX pending_sign_ins_expires_at_idx ON pending_sign_ins (expires_at);

-- What a caller may come in by, under the key that it is looked up by: a secret.
CREATE VIEW credentials AS
  SELECT sid AS key, id, user_id, 'session' AS kind, device AS label, 'all' AS rights, NULL::text[] AS space_ids,
    created_at, last_used_at, expire AS ends_at
  FROM sessions
  UNION ALL
  SELECT hash, id, user_id, 'token', name, CASE WHEN 'WRITE' = ANY (scopes) THEN 'write' ELSE 'read' END, space_ids,
    created_at, last_used_at, coalesce(expires_at, 'infinity')
  FROM access_tokens;

-- The devices that have signed in to an account, so that a mail reports a sign-in from another one. Neither device nor
-- address can be read from the fingerprint: it is keyed, and an account's own.
CREATE TABLE known_devices (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  user_id text NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  fingerprint text NOT NULL,
  first_seen_at timestamptz(3) NOT NULL DEFAULT now(),
  last_seen_at timestamptz(3) NOT NULL DEFAULT now(),
  UNIQUE (user_id, fingerprint)
);
CREATE INDEX known_devices_last_seen_at_idx ON known_devices (last_seen_at);

-- A mutation under a key, and its response, stored in the transaction of its effect: another request under the same key has the
-- same response. By the revision, which it raised by one without an entry in the log, the key has a place
-- among the changes of the user's personal space; by the transaction, among those of other spaces.
CREATE TABLE idempotency_keys (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  user_id text NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  key text NOT NULL,
  -- SHA-256 of the request.
  fingerprint bytea NOT NULL,
  -- Of the response; empty once it is forgotten.
  body bytea NOT NULL,
  -- Of the user's personal space.
  revision bigint NOT NULL,
  transaction_id bigint NOT NULL DEFAULT (pg_current_xact_id()::text::bigint),
  -- The operation that the mutation was; null where it changed nothing.
  operation_id text,
  created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  UNIQUE (user_id, key),
  UNIQUE (user_id, revision)
);
CREATE INDEX idempotency_keys_created_at_idx ON idempotency_keys (created_at);
-- Those whose response is still stored.
CREATE INDEX idempotency_keys_stored_idx ON idempotency_keys (created_at) WHERE body <> '';

-- A row for each try of a password that is under way or has failed; one that succeeded is deleted.
CREATE TABLE password_attempts (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- What is tried, and for which address or account.
  subject text NOT NULL,
  at timestamptz(3) NOT NULL DEFAULT now(),
  failed boolean NOT NULL DEFAULT false
);
CREATE INDEX password_attempts_subject_at_idx ON password_attempts (subject, at);
CREATE INDEX password_attempts_at_idx ON password_attempts (at);

-- Keys are of bounded length (docs/decisions/0620), and a moment is PostgreSQL's own: processes whose clocks differ
-- agree on when a counter ends.
CREATE TABLE rate_limits (
  key text PRIMARY KEY,
  points integer NOT NULL,
  expires_at timestamptz(3) NOT NULL
);
CREATE INDEX rate_limits_expires_at_idx ON rate_limits (expires_at);

-- Projects and sections -------------------------------------------------------------------------

-- Names sort by the root collation of ICU: without regard to case, accents next to their letters.
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

-- Sort keys are compared bytewise: fractional-indexing's "Zz" < "a0" holds in no other collation.
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
  -- That there is such a space follows from the project's key: each task that is made would look it up once more.
  space_id text NOT NULL,
  project_id text NOT NULL,
  section_id text REFERENCES sections (id) ON DELETE SET NULL,
  parent_id text,
  -- Lists are ordered by it as a dictionary is, whatever the locale of the database.
  title text NOT NULL COLLATE "und-x-icu" CHECK (char_length(title) BETWEEN 1 AND 500),
  -- Without a bound a few tasks would fill an answer. In code points, as the service counts.
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
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  -- A trigger writes it (prisma/functions/task_words.sql): a generated column is computed by each update, whatever it changes.
  search tsvector NOT NULL,
  UNIQUE (id, project_id),
  CHECK (completed = (completed_at IS NOT NULL)),
  CHECK (due_time IS NULL OR is_all_day IS FALSE),
  CHECK (parent_id <> id),
  -- A task is in its project's space, a subtask in its parent's project, a task's section in its
  -- project. Deferred, as a move of a section or of a subtree passes through states where they are not.
  FOREIGN KEY (project_id, space_id) REFERENCES projects (id, space_id) ON DELETE CASCADE,
  CONSTRAINT tasks_parent_fkey FOREIGN KEY (parent_id, project_id) REFERENCES tasks (id, project_id)
    ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
  CONSTRAINT tasks_section_in_project_fkey FOREIGN KEY (section_id, project_id) REFERENCES sections (id, project_id)
    DEFERRABLE INITIALLY DEFERRED
)
-- A new version of a row that finds room on the row's own page adds no entry to an index where no indexed column
-- changed (a heap-only tuple). Full pages send every version elsewhere, until the table is several times its size. Two
-- fifths of room let a bulk change of all rows settle after three times; then table and indexes take less than with one fifth.
WITH (fillfactor = 60);
-- One index a list: by sort key in a space, a project, a section, under a parent; and the other orders of a space.
CREATE INDEX tasks_space_id_sort_key_idx ON tasks (space_id, sort_key, id);
CREATE INDEX tasks_project_id_sort_key_idx ON tasks (project_id, sort_key, id);
CREATE INDEX tasks_section_id_sort_key_idx ON tasks (section_id, sort_key, id) WHERE section_id IS NOT NULL;
CREATE INDEX tasks_parent_id_sort_key_idx ON tasks (parent_id, sort_key, id) WHERE parent_id IS NOT NULL;
CREATE INDEX tasks_space_id_completed_at_idx ON tasks (space_id, completed_at DESC, id) WHERE completed;
CREATE INDEX tasks_space_id_due_date_idx ON tasks (space_id, due_date, id);
CREATE INDEX tasks_space_id_created_at_idx ON tasks (space_id, created_at, id);
-- Open tasks by when they are due; a task with only a date is due at 09:00 UTC. `dueKey` (src/notifications/reminder-data.ts) is the
-- same expression. The condition does not name `reminder`: a column that an index names, in its condition too, makes each change of it an
-- entry in every index.
CREATE INDEX tasks_space_id_due_key_idx ON tasks (space_id, (coalesce(due_time,
  (least(due_date, '9999-12-31'::date)::timestamp + interval '9 hours') AT TIME ZONE 'UTC'
)), id) WHERE NOT completed AND coalesce(due_time,
  (least(due_date, '9999-12-31'::date)::timestamp + interval '9 hours') AT TIME ZONE 'UTC'
) IS NOT NULL;
-- The search. New entries gather in a list that every search reads from end to end, and which the planner counts as
-- cost: at 4 MB, PostgreSQL's own limit, searches turned to going through all tasks of a space instead. Short lists cost
-- writers nothing that could be measured.
CREATE INDEX tasks_search_idx ON tasks USING gin (space_id, search) WITH (gin_pending_list_limit = 128);

CREATE TABLE tags (
  id text PRIMARY KEY,
  space_id text NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
  name text NOT NULL COLLATE "und-x-icu" CHECK (char_length(name) BETWEEN 1 AND 255),
  color "TagColor" NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  UNIQUE (id, space_id),
  CONSTRAINT tags_space_id_name_key UNIQUE (space_id, name) DEFERRABLE
);

-- What is on a deleted task is taken off it by one statement for all tasks (prisma/functions/tracked_tables.sql); the reference
-- is checked at the end.
CREATE TABLE task_tags (
  task_id text NOT NULL REFERENCES tasks (id) DEFERRABLE INITIALLY DEFERRED,
  tag_id text NOT NULL,
  space_id text NOT NULL,
  PRIMARY KEY (task_id, tag_id),
  FOREIGN KEY (tag_id, space_id) REFERENCES tags (id, space_id) ON DELETE CASCADE
);
CREATE INDEX task_tags_tag_id_idx ON task_tags (tag_id);

-- The words of a space's tasks: a prefix becomes the words that begin with it, a misspelt word those that are
-- like it, and only these are looked for in the tasks. So a search does not grow with what other spaces hold,
-- and likeness is measured against few words instead of every text. A word stays when the last task that had
-- it goes: it finds nothing then.
CREATE TABLE task_words (
  space_id text NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
  word text NOT NULL COLLATE "C",
  PRIMARY KEY (space_id, word)
);

-- Where a database knows ASCII letters alone, as with LC_CTYPE=C, pg_trgm skips all others: each is given one
-- of ASCII to stand for it. That two share one at times makes words a little more alike than they are. Its cost
-- has the planner take the index of likeness: by the average space it would go through all words of a large one.
CREATE FUNCTION trigram_letters(word text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT COST 10000 AS $$
  SELECT CASE WHEN word ~ '^[ -~]*$' COLLATE "C" THEN word ELSE (
    SELECT string_agg(
      CASE WHEN ascii(sign) < 128 THEN sign
      ELSE substr('0123456789abcdefghijklmnopqrstuvwxyz', 1 + ascii(sign) % 36, 1) END, '' ORDER BY place)
    FROM regexp_split_to_table(word, '') WITH ORDINALITY AS each (sign, place)
  ) END
$$;
-- A number is never another one misspelt, and what is very long is no word.
CREATE INDEX task_words_likeness_idx ON task_words USING gin (space_id, trigram_letters(word) gin_trgm_ops)
  WITH (gin_pending_list_limit = 128)
  WHERE word ~ '[^-+.0-9]' AND char_length(word) <= 64;

-- The change log --------------------------------------------------------------------------------

-- A row names all entities that a statement changed in the same way in a space: same type and kind; of tasks, same fields,
-- same project before and after. Each entity has a revision of its own: the row's revision is that of its last one, and
-- the others come right before it. So a change of many tasks writes one row and its index entries, not one of each a task.
-- Rows are made by triggers alone, for spaces whose rows they have just raised and so hold until they commit: a foreign
-- key, looked up once a row, would have nothing left to refuse. A space takes its log along by a trigger.
CREATE TABLE changes (
  space_id text NOT NULL,
  revision bigint NOT NULL,
  transaction_id bigint NOT NULL DEFAULT (pg_current_xact_id()::text::bigint),
  -- Which part of its transaction it is in: a large one is logged, and read, in parts of bounded size.
  part integer NOT NULL DEFAULT 0,
  type "EntityType" NOT NULL,
  kind "ChangeKind" NOT NULL,
  entity_ids text[] NOT NULL,
  entity_count integer NOT NULL,
  fields text[] NOT NULL DEFAULT '{}',
  project_id text,
  previous_project_id text,
  -- The transaction as the history names it.
  operation_id text COLLATE "C" NOT NULL,
  at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  history_nonce integer NOT NULL,
  period smallint NOT NULL,
  -- A revision is of one row in its space; PostgreSQL wants the key of the partitions beside it.
  PRIMARY KEY (space_id, revision, period)
) PARTITION BY LIST (period);
-- Ids hardly compress: trying costs more time than it saves space.
ALTER TABLE changes ALTER COLUMN entity_ids SET STORAGE EXTERNAL;
-- What of an account or a workspace an operation changed: there are no images of these.
CREATE INDEX changes_settings_idx ON changes (operation_id) WHERE type IN ('USER', 'WORKSPACE');
-- A page of the log is never cut within a part of a transaction: the rest of the last ones is found by this.
CREATE INDEX changes_transaction_id_part_idx ON changes (transaction_id, part);
-- Periods of half the days for which changes are kept, in three partitions in turn: that of now, the one before, and one that is
-- emptied before its turn comes (`begin_log_period`).
CREATE TABLE changes_0 PARTITION OF changes FOR VALUES IN (0);
CREATE TABLE changes_1 PARTITION OF changes FOR VALUES IN (1);
CREATE TABLE changes_2 PARTITION OF changes FOR VALUES IN (2);
CREATE TABLE log_period (
  number smallint PRIMARY KEY,
  began_at timestamptz NOT NULL DEFAULT now(),
  -- When all spaces began after the changes of the next partition, and the snapshot that those were read in.
  raised_at timestamptz,
  raised_snapshot pg_snapshot
);
INSERT INTO log_period VALUES (0);

-- What the subscribers of task changes read.
CREATE VIEW task_changes AS
  SELECT space_id, revision, transaction_id, part, entity_ids AS task_ids, entity_count AS task_count, kind, fields,
    project_id, previous_project_id, operation_id, at, history_nonce
  FROM changes WHERE type = 'TASK';

-- The history -----------------------------------------------------------------------------------

-- A transaction that changed something, once for each space: who it was, and when. Its id is made by the database, after it has
-- locked the space: in a space the order of ids is the order of commits. No references, as of the log.
-- Ids are compared bytewise.
CREATE TABLE operations (
  id text COLLATE "C" NOT NULL,
  space_id text NOT NULL,
  -- Null: the operator, SQL by hand, or an account that has been deleted.
  actor_id text,
  -- What the actor came by: a session's device, a token's name.
  client text,
  -- The operation that this one undid, and the one that undid this.
  undo_of text,
  undone_by text,
  at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (id, space_id)
);
CREATE INDEX operations_space_id_id_idx ON operations (space_id, id);
CREATE INDEX operations_actor_id_idx ON operations (actor_id) WHERE actor_id IS NOT NULL;

-- What there was before: a row for a statement, a table and a space. An image of an entity is a JSON object of its columns: of an
-- update what changed, each as [before, after]; of a deletion, and of both sides of a move between spaces, the whole row; of a
-- creation there is none. Tags of tasks are in their owner's space.
CREATE TABLE history (
  operation_id text COLLATE "C" NOT NULL,
  -- Orders the rows of an operation.
  position bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  space_id text NOT NULL,
  type "EntityType" NOT NULL,
  kind "ChangeKind" NOT NULL,
  entity_ids text[] NOT NULL,
  images text[],
  -- Of tags: the space of the tasks. Only members of both spaces see the row. Null: the entities are in space_id.
  entity_space_id text,
  -- The entities went to another space, or came from one.
  is_move boolean NOT NULL DEFAULT false,
  -- Of no interest by itself: tags that went with a task.
  is_hidden boolean NOT NULL DEFAULT false,
  PRIMARY KEY (operation_id, position)
);
CREATE INDEX history_entity_ids_idx ON history USING gin (entity_ids) WITH (gin_pending_list_limit = 512);
-- New sort keys for all tasks of a project: an undo follows those that came later.
CREATE INDEX history_renewals_idx ON history (space_id, operation_id)
  WHERE type = 'TASK' AND kind = 'UPDATED' AND cardinality(entity_ids) > 1 AND images[1] LIKE '{"sort_key":%';

-- Deleted entities, each by its last deletion in any space. The deletion makes the row, and a restore or undo removes it. A row keeps the
-- id of its entity taken. Only the rows that can be restored are entries of the trash; src/history/trash-data.ts has the condition.
CREATE TABLE trash (
  entity_id text PRIMARY KEY,
  type "EntityType" NOT NULL,
  -- Null: the space is deleted too, and another space knows the id.
  space_id text,
  operation_id text COLLATE "C" NOT NULL,
  -- The entity that took this one along, such as the project of a task. Null: the top of the deletion.
  within_id text,
  -- The spaces whose images of the entity are being erased; empty if they have been. Null: the entity can be restored.
  erased_from text[]
);
CREATE INDEX trash_tops_idx ON trash (space_id, operation_id) WHERE within_id IS NULL AND erased_from IS NULL;
CREATE INDEX trash_within_id_idx ON trash (within_id) WHERE within_id IS NOT NULL;
CREATE INDEX trash_operation_id_idx ON trash (operation_id);
CREATE INDEX trash_erased_from_idx ON trash (erased_from) WHERE erased_from <> '{}';

-- For how many days images are kept: one row, written at each start. 0: none are.
CREATE TABLE history_settings (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  days integer NOT NULL DEFAULT 30
);
INSERT INTO history_settings DEFAULT VALUES;

-- Mails -----------------------------------------------------------------------------------------

CREATE TYPE "DeliveryKind" AS ENUM ('CODE', 'NOTICE', 'TEST', 'REMINDER', 'DIGEST');
CREATE TYPE "DeliveryStatus" AS ENUM ('PLANNED', 'SENT', 'SKIPPED', 'FAILED');
CREATE TYPE "DeliveryQueue" AS ENUM ('CODE', 'CODE_RETRY', 'NOTICE', 'REMINDER', 'DIGEST', 'RETRY');

-- A mail, from its plan to its end. What it is about occurs once: the due moment of a task, a user's local day; of the other
-- kinds each is an occurrence of its own.
CREATE TABLE deliveries (
  id text PRIMARY KEY,
  -- Null: to an address, whether it has an account or not.
  user_id text REFERENCES users (id) ON DELETE CASCADE,
  kind "DeliveryKind" NOT NULL,
  occurrence text NOT NULL,
  -- Of a reminder. No references: what has become of it stays on record.
  task_id text,
  space_id text,
  due_at timestamptz(3),
  -- The moment that it is for.
  at timestamptz(3) NOT NULL,
  -- It is not sent from then on.
  expires_at timestamptz(3) NOT NULL,
  status "DeliveryStatus" NOT NULL DEFAULT 'PLANNED',
  -- Why it was SKIPPED, or has FAILED.
  reason text,
  sent_at timestamptz(3),
  -- The address and the content, encrypted, until it has ended; null for what is composed when it is sent.
  message bytea,
  -- How often it has been taken up to be sent.
  attempts integer NOT NULL DEFAULT 0,
  -- Raised whenever it is taken up, so that it names the holder: an earlier one has lost it.
  lease integer NOT NULL DEFAULT 0,
  -- When it is to be taken up next: what is being sent is left alone until then.
  next_at timestamptz(3) NOT NULL,
  leased_until timestamptz(3),
  -- What was taken up before is out of the way of what was not.
  queue "DeliveryQueue" NOT NULL GENERATED ALWAYS AS (
    CASE WHEN kind = 'CODE' AND attempts = 0 THEN 'CODE'::"DeliveryQueue"
      WHEN kind = 'CODE' THEN 'CODE_RETRY'::"DeliveryQueue"
      WHEN attempts > 0 THEN 'RETRY'::"DeliveryQueue"
      WHEN kind = 'REMINDER' THEN 'REMINDER'::"DeliveryQueue"
      WHEN kind = 'DIGEST' THEN 'DIGEST'::"DeliveryQueue"
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

-- Up to where the change log has been read for plans: the one row is locked by who plans.
CREATE TABLE planner (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  -- What had been committed then has been read. Null: nothing has, so that all spaces are to be planned.
  position pg_snapshot,
  -- What had been committed then is being read, page by page, and the last part of a transaction, or space, that has been. Null: nothing is.
  target pg_snapshot,
  after_transaction_id bigint NOT NULL DEFAULT 0,
  after_part integer NOT NULL DEFAULT 0,
  after_space_id text NOT NULL DEFAULT ''
);
INSERT INTO planner DEFAULT VALUES;

-- Spaces that are to be looked at for reminders and digests to plan: as something has changed, as reminders come near, or as a look goes on.
-- Who writes to it only inserts: nobody waits for who plans. Spaces take turns by id, as a look that goes on gets a new row.
CREATE TABLE planning_queue (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- No reference: nobody who deletes a space waits for who plans.
  space_id text NOT NULL,
  -- When it was changed.
  at timestamptz(3) NOT NULL DEFAULT statement_timestamp(),
  -- It is looked at from then on, by the clock of plans; null: now.
  due_at timestamptz(3),
  -- What could not be planned is left alone until then.
  retry_at timestamptz(3),
  -- Reminders of what was due after that have not been looked for; null: when it is looked at.
  since timestamptz(3),
  -- Of a look that goes on: the last task that it has seen.
  after_key timestamptz(3),
  after_task_id text,
  -- Whether another look follows.
  is_asked_again boolean NOT NULL DEFAULT false
);
CREATE INDEX planning_queue_ready_idx ON planning_queue (id) WHERE due_at IS NULL;
CREATE INDEX planning_queue_due_at_idx ON planning_queue (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX planning_queue_space_id_idx ON planning_queue (space_id);
