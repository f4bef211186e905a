-- Trigram matching for the search; in PostgreSQL's contrib set and trusted, so a database's owner may create it.
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE EXTENSION IF NOT EXISTS btree_gin;

CREATE TYPE "SpaceKind" AS ENUM ('PERSONAL', 'WORKSPACE');
CREATE TYPE "ViewMode" AS ENUM ('LIST', 'BOARD', 'CALENDAR');
CREATE TYPE "Priority" AS ENUM ('HIGH', 'MEDIUM', 'LOW');
CREATE TYPE "TagColor" AS ENUM ('BLUE', 'RED', 'GREEN', 'YELLOW', 'PURPLE', 'ORANGE', 'PINK');
CREATE TYPE "ChangeKind" AS ENUM ('CREATED', 'UPDATED', 'DELETED');

-- Spaces, users, members ------------------------------------------------------------------------

CREATE TABLE spaces (
  id text PRIMARY KEY,
  kind "SpaceKind" NOT NULL,
  name text CHECK (char_length(name) BETWEEN 1 AND 255),
  revision bigint NOT NULL DEFAULT 0,
  pruned_to bigint NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  CHECK ((kind = 'WORKSPACE') = (name IS NOT NULL))
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

CREATE TABLE one_time_codes (
  id text PRIMARY KEY,
  email text NOT NULL,
  code_hash text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  expires_at timestamptz(3) NOT NULL,
  attempts integer NOT NULL DEFAULT 0,
  consumed_at timestamptz(3)
);
CREATE INDEX one_time_codes_email_created_at_idx ON one_time_codes (email, created_at);
CREATE INDEX one_time_codes_created_at_idx ON one_time_codes (created_at);

CREATE TABLE sessions (
  sid text PRIMARY KEY,
  sess json NOT NULL,
  expire timestamp(6) NOT NULL
);
CREATE INDEX sessions_expire_idx ON sessions (expire);
-- A change of password ends the account's other sessions.
CREATE INDEX sessions_user_id_idx ON sessions ((sess ->> 'userId'));

CREATE TABLE rate_limits (
  key varchar(255) PRIMARY KEY,
  points integer NOT NULL DEFAULT 0,
  expire bigint
);

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
  space_id text NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
  project_id text NOT NULL,
  section_id text REFERENCES sections (id) ON DELETE SET NULL,
  parent_id text,
  title text NOT NULL CHECK (char_length(title) BETWEEN 1 AND 500),
  description text,
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
  search tsvector GENERATED ALWAYS AS (
    setweight(to_tsvector('simple', title), 'A') || setweight(to_tsvector('simple', coalesce(description, '')), 'B')
  ) STORED,
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
);
-- One index a list: by sort key in a space, a project, a section, under a parent; and the other orders of a space.
CREATE INDEX tasks_space_id_sort_key_idx ON tasks (space_id, sort_key, id);
CREATE INDEX tasks_project_id_sort_key_idx ON tasks (project_id, sort_key, id);
CREATE INDEX tasks_section_id_sort_key_idx ON tasks (section_id, sort_key, id) WHERE section_id IS NOT NULL;
CREATE INDEX tasks_parent_id_sort_key_idx ON tasks (parent_id, sort_key, id) WHERE parent_id IS NOT NULL;
CREATE INDEX tasks_space_id_completed_at_idx ON tasks (space_id, completed_at DESC, id) WHERE completed;
CREATE INDEX tasks_space_id_due_date_idx ON tasks (space_id, due_date, id);
CREATE INDEX tasks_space_id_created_at_idx ON tasks (space_id, created_at, id);
-- The search: words and prefixes; then likeness, title and description apart, since they rank apart.
CREATE INDEX tasks_search_idx ON tasks USING gin (space_id, search);
CREATE INDEX tasks_title_trgm_idx ON tasks USING gin (space_id, title gin_trgm_ops);
CREATE INDEX tasks_description_trgm_idx ON tasks USING gin (space_id, description gin_trgm_ops);

CREATE TABLE tags (
  id text PRIMARY KEY,
  space_id text NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
  name text NOT NULL COLLATE "und-x-icu" CHECK (char_length(name) BETWEEN 1 AND 255),
  color "TagColor" NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  UNIQUE (id, space_id),
  CONSTRAINT tags_space_id_name_key UNIQUE (space_id, name)
);

CREATE TABLE task_tags (
  task_id text NOT NULL REFERENCES tasks (id) ON DELETE CASCADE,
  tag_id text NOT NULL,
  space_id text NOT NULL,
  PRIMARY KEY (task_id, tag_id),
  FOREIGN KEY (tag_id, space_id) REFERENCES tags (id, space_id) ON DELETE CASCADE
);
CREATE INDEX task_tags_tag_id_idx ON task_tags (tag_id);

-- The change log --------------------------------------------------------------------------------
-- Statement-level triggers raise the revision of each space by the number of its changed rows and
-- give every changed task a log row of its own revision, inside the writer's transaction: no code
-- path can forget it. Raising a revision locks the space's row until commit, so that within a space
-- the order of revisions is the order of commits, and no cursor can pass over a late commit.

CREATE TABLE task_changes (
  space_id text NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
  revision bigint NOT NULL,
  transaction_id bigint NOT NULL DEFAULT (pg_current_xact_id()::text::bigint),
  task_id text NOT NULL,
  kind "ChangeKind" NOT NULL,
  fields text[] NOT NULL DEFAULT '{}',
  project_id text NOT NULL,
  previous_project_id text,
  at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (space_id, revision)
);
CREATE INDEX task_changes_at_idx ON task_changes (at);

CREATE FUNCTION log_created_tasks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  WITH change AS (
    SELECT space_id, id, project_id, row_number() OVER (PARTITION BY space_id) AS n FROM new_rows
  ), raised AS (
    UPDATE spaces SET revision = spaces.revision + c.n
    FROM (SELECT space_id, count(*) AS n FROM change GROUP BY space_id) c
    WHERE spaces.id = c.space_id
    RETURNING spaces.id, spaces.revision - c.n AS base
  )
  INSERT INTO task_changes (space_id, revision, task_id, kind, project_id)
  SELECT change.space_id, raised.base + change.n, change.id, 'CREATED', change.project_id
  FROM change JOIN raised ON raised.id = change.space_id;
  RETURN NULL;
END $$;

-- A task that moves to another space is DELETED in the one and CREATED in the other.
CREATE FUNCTION log_updated_tasks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM new_rows) THEN
    RETURN NULL;
  END IF;
  WITH difference AS (
    SELECT n.id, o.space_id AS old_space_id, n.space_id, o.project_id AS old_project_id, n.project_id,
      array_remove(ARRAY[
        CASE WHEN n.title IS DISTINCT FROM o.title THEN 'title' END,
        CASE WHEN n.description IS DISTINCT FROM o.description THEN 'description' END,
        CASE WHEN n.priority IS DISTINCT FROM o.priority THEN 'priority' END,
        CASE WHEN n.due_date IS DISTINCT FROM o.due_date THEN 'dueDate' END,
        CASE WHEN n.due_time IS DISTINCT FROM o.due_time THEN 'dueTime' END,
        CASE WHEN n.is_all_day IS DISTINCT FROM o.is_all_day THEN 'isAllDay' END,
        CASE WHEN n.completed IS DISTINCT FROM o.completed THEN 'completed' END,
        CASE WHEN n.completed_at IS DISTINCT FROM o.completed_at THEN 'completedAt' END,
        CASE WHEN n.color IS DISTINCT FROM o.color THEN 'color' END,
        CASE WHEN n.sort_key IS DISTINCT FROM o.sort_key THEN 'sortKey' END,
        CASE WHEN n.reminder IS DISTINCT FROM o.reminder THEN 'reminder' END,
        CASE WHEN n.parent_id IS DISTINCT FROM o.parent_id THEN 'parent' END,
        CASE WHEN n.project_id IS DISTINCT FROM o.project_id THEN 'project' END,
        CASE WHEN n.section_id IS DISTINCT FROM o.section_id THEN 'section' END
      ], NULL) AS fields
    FROM old_rows o JOIN new_rows n ON n.id = o.id
  ), entry AS (
    SELECT space_id, id, 'UPDATED'::"ChangeKind" AS kind, fields, project_id,
      CASE WHEN project_id <> old_project_id THEN old_project_id END AS previous_project_id
    FROM difference WHERE space_id = old_space_id AND fields <> '{}'
    UNION ALL
    SELECT old_space_id, id, 'DELETED', fields, old_project_id, NULL FROM difference WHERE space_id <> old_space_id
    UNION ALL
    SELECT space_id, id, 'CREATED', fields, project_id, NULL FROM difference WHERE space_id <> old_space_id
  ), change AS (
    SELECT *, row_number() OVER (PARTITION BY space_id) AS n FROM entry
  ), raised AS (
    UPDATE spaces SET revision = spaces.revision + c.n
    FROM (SELECT space_id, count(*) AS n FROM change GROUP BY space_id) c
    WHERE spaces.id = c.space_id
    RETURNING spaces.id, spaces.revision - c.n AS base
  )
  INSERT INTO task_changes (space_id, revision, task_id, kind, fields, project_id, previous_project_id)
  SELECT change.space_id, raised.base + change.n, change.id, change.kind, change.fields, change.project_id,
    change.previous_project_id
  FROM change JOIN raised ON raised.id = change.space_id;
  RETURN NULL;
END $$;

-- A cascade fires this once for each deleted parent, mostly with nothing in it.
CREATE FUNCTION log_deleted_tasks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM old_rows) THEN
    RETURN NULL;
  END IF;
  WITH change AS (
    SELECT space_id, id, project_id, row_number() OVER (PARTITION BY space_id) AS n FROM old_rows
  ), raised AS (
    UPDATE spaces SET revision = spaces.revision + c.n
    FROM (SELECT space_id, count(*) AS n FROM change GROUP BY space_id) c
    WHERE spaces.id = c.space_id
    RETURNING spaces.id, spaces.revision - c.n AS base
  )
  INSERT INTO task_changes (space_id, revision, task_id, kind, project_id)
  SELECT change.space_id, raised.base + change.n, change.id, 'DELETED', change.project_id
  FROM change JOIN raised ON raised.id = change.space_id;
  RETURN NULL;
END $$;

-- Tags are private to their owner, so a change of a task's tags is logged in the tags' space: only
-- the owner's streams hear of it. A task that is itself deleted has no such entry.
CREATE FUNCTION log_tagged_tasks(changed text[], spaces_of text[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  WITH entry AS (
    SELECT DISTINCT c.task_id, c.space_id FROM unnest(changed, spaces_of) AS c (task_id, space_id)
  ), change AS (
    SELECT entry.*, tasks.project_id, row_number() OVER (PARTITION BY entry.space_id) AS n
    FROM entry JOIN tasks ON tasks.id = entry.task_id
  ), raised AS (
    UPDATE spaces SET revision = spaces.revision + c.n
    FROM (SELECT space_id, count(*) AS n FROM change GROUP BY space_id) c
    WHERE spaces.id = c.space_id
    RETURNING spaces.id, spaces.revision - c.n AS base
  )
  INSERT INTO task_changes (space_id, revision, task_id, kind, fields, project_id)
  SELECT change.space_id, raised.base + change.n, change.task_id, 'UPDATED', '{tags}', change.project_id
  FROM change JOIN raised ON raised.id = change.space_id;
END $$;

CREATE FUNCTION log_task_tags() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM log_tagged_tasks(array_agg(task_id), array_agg(space_id)) FROM new_rows HAVING count(*) > 0;
  ELSE
    PERFORM log_tagged_tasks(array_agg(task_id), array_agg(space_id)) FROM old_rows HAVING count(*) > 0;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER log_insert AFTER INSERT ON tasks REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION log_created_tasks();
CREATE TRIGGER log_update AFTER UPDATE ON tasks REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION log_updated_tasks();
CREATE TRIGGER log_delete AFTER DELETE ON tasks REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION log_deleted_tasks();
CREATE TRIGGER log_insert AFTER INSERT ON task_tags REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION log_task_tags();
CREATE TRIGGER log_delete AFTER DELETE ON task_tags REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION log_task_tags();

-- What is not a task raises the revision alone: it names the state of all that a member can read.
CREATE FUNCTION raise_revision() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN
    UPDATE spaces SET revision = revision + 1 WHERE id IN (SELECT space_id FROM old_rows);
  END IF;
  IF TG_OP <> 'DELETE' THEN
    UPDATE spaces SET revision = revision + 1 WHERE id IN (SELECT space_id FROM new_rows);
  END IF;
  RETURN NULL;
END $$;

-- A user's row is seen by the members of all their spaces, preferences by the user alone.
CREATE FUNCTION raise_revision_of_members() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE spaces SET revision = revision + 1
  WHERE id IN (SELECT m.space_id FROM memberships m JOIN new_rows u ON u.id = m.user_id);
  RETURN NULL;
END $$;

CREATE FUNCTION raise_revision_of_owner() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE spaces SET revision = revision + 1 WHERE id IN (SELECT user_id FROM new_rows);
  RETURN NULL;
END $$;

DO $$
DECLARE
  target text;
BEGIN
  FOREACH target IN ARRAY ARRAY['projects', 'sections', 'tags', 'memberships'] LOOP
    EXECUTE format('CREATE TRIGGER raise_on_insert AFTER INSERT ON %I REFERENCING NEW TABLE AS new_rows
      FOR EACH STATEMENT EXECUTE FUNCTION raise_revision()', target);
    EXECUTE format('CREATE TRIGGER raise_on_update AFTER UPDATE ON %I REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
      FOR EACH STATEMENT EXECUTE FUNCTION raise_revision()', target);
    EXECUTE format('CREATE TRIGGER raise_on_delete AFTER DELETE ON %I REFERENCING OLD TABLE AS old_rows
      FOR EACH STATEMENT EXECUTE FUNCTION raise_revision()', target);
  END LOOP;
END $$;
CREATE TRIGGER raise_on_update AFTER UPDATE ON users REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION raise_revision_of_members();
CREATE TRIGGER raise_on_update AFTER UPDATE ON preferences REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION raise_revision_of_owner();

-- The lock that orders the writers of a space ----------------------------------------------------

-- Locks spaces in the order of their ids, so that two writers never wait for each other in a circle.
CREATE FUNCTION lock_spaces(ids text[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM spaces WHERE id = ANY (ids) ORDER BY id FOR NO KEY UPDATE;
END $$;

-- What a write builds on is read under the lock. One round trip: each statement of a volatile function
-- sees a snapshot of its own, where the rest of the statement that calls it sees what was before the lock.

-- Locks the spaces of those of the tasks that are within some spaces, and the others named; answers the
-- tasks. Where one of them moved to another space meanwhile, the transaction has to be tried again.
CREATE FUNCTION lock_tasks(ids text[], within text[], others text[]) RETURNS SETOF tasks LANGUAGE plpgsql AS $$
DECLARE
  locked text[] := others || ARRAY(SELECT space_id FROM tasks WHERE id = ANY (ids) AND space_id = ANY (within));
BEGIN
  PERFORM lock_spaces(locked);
  IF EXISTS (SELECT FROM tasks WHERE id = ANY (ids) AND space_id = ANY (within) AND space_id <> ALL (locked)) THEN
    RAISE 'a task moved to another space' USING ERRCODE = 'serialization_failure';
  END IF;
  RETURN QUERY SELECT * FROM tasks WHERE id = ANY (ids) AND space_id = ANY (within);
END $$;

-- For use behind lock_tasks: the last sort key of the project's tasks.
CREATE FUNCTION last_sort_key(project text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  RETURN (SELECT max(sort_key) FROM tasks WHERE project_id = project);
END $$;

-- For use behind lock_tasks: levels from the top of a tree of tasks down to a task of it.
CREATE FUNCTION level_of_task(task text) RETURNS integer LANGUAGE plpgsql AS $$
BEGIN
  RETURN (
    WITH RECURSIVE above AS (
      SELECT parent_id FROM tasks WHERE id = task
      UNION ALL SELECT tasks.parent_id FROM tasks JOIN above ON tasks.id = above.parent_id
    )
    SELECT count(*) FROM above
  );
END $$;

-- Locks a project's space and answers the last sort key of its sections.
CREATE FUNCTION lock_for_new_section(project text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM spaces WHERE id = (SELECT space_id FROM projects WHERE id = project) FOR NO KEY UPDATE;
  RETURN (SELECT max(sort_key) FROM sections WHERE project_id = project);
END $$;
