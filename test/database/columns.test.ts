import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { addMember, invite, makeProject, makeSection, makeTag, makeTask, makeWorkspace } from '../kit/make.ts';
import { createTestDatabase } from '../kit/postgres.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { signUp } from '../kit/users.ts';
import { columnsOf } from '../kit/structure.ts';

const unchanged = 'no statement changes it';

/** Columns of visible tables whose changes notify nobody, with the reason. */
const exceptions: Record<string, Record<string, string>> = {
  tasks: {
    id: unchanged,
    created_at: unchanged,
    updated_at: 'says itself that another column has changed',
    search: 'follows from title and description',
    space_id: 'follows from the project; a move to another space is logged as a deletion and a creation',
    created_by_id: 'only the deletion of the account changes it, and logs it',
  },
  projects: { id: unchanged, space_id: unchanged, is_default: unchanged },
  sections: {
    id: unchanged,
    space_id: 'follows from the project; a move to another space is a deletion and a creation',
  },
  tags: { id: unchanged, space_id: unchanged },
  memberships: { space_id: unchanged, user_id: unchanged },
  users: {
    id: unchanged,
    created_at: 'nobody is shown it',
    password_hash: 'nobody is shown more than whether there is one',
  },
  preferences: { user_id: unchanged },
  invitations: { id: unchanged, space_id: unchanged },
  spaces: {
    id: unchanged,
    kind: unchanged,
    created_at: 'nobody is shown it',
    revision: 'is by what others are told',
    history_nonce: 'goes with the revision',
    log_start: 'bounds the log',
    log_start_nonce: 'bounds the log',
  },
};
const tables = Object.keys(exceptions);

/** Entity type of a table in the log. Changes of other tables only raise the related revisions. */
const typeOf: Record<string, string> = {
  tasks: 'TASK',
  projects: 'PROJECT',
  sections: 'SECTION',
  tags: 'TAG',
  memberships: 'WORKSPACE',
  spaces: 'WORKSPACE',
  users: 'USER',
  preferences: 'USER',
};

const partOf: Record<string, string[]> = {
  memberships: ['members'],
  spaces: ['name'],
  users: ['profile'],
  preferences: ['preferences'],
};

/** A different value by column type. */
const differentValue: Record<string, (column: string) => string> = {
  text: (column) => `coalesce(${column}, '') || 'x'`,
  boolean: (column) => `NOT coalesce(${column}, false)`,
  integer: (column) => `coalesce(${column}, 0) + 1`,
  date: (column) => `coalesce(${column}, current_date) + 1`,
  'timestamp(3) with time zone': (column) => `coalesce(${column}, now()) + interval '1 minute'`,
};
const otherOf = (column: string, type: string) =>
  type.startsWith('"')
    ? `(SELECT value FROM unnest(enum_range(NULL::${type})) AS value WHERE value IS DISTINCT FROM ${column} LIMIT 1)`
    : differentValue[type]?.(column);

const fieldNames: Record<string, string> = {
  project_id: 'project',
  section_id: 'section',
  parent_id: 'parent',
  assignee_ids: 'assignees',
};
const fieldOf = (column: string) =>
  fieldNames[column] ?? column.replaceAll(/_(?<letter>.)/g, (_, letter: string) => letter.toUpperCase());

const columns = (await columnsOf(await createTestDatabase(), tables)).filter(
  ({ table, column }) => exceptions[table]?.[column] === undefined,
);

let service: Service;
/** Rolled back after each test, because all tests change the same rows. */
let client: pg.Client;
let viewerId: string;
let changed: Record<string, string>;
let assignments: Record<string, string>;

beforeAll(async () => {
  service = await sharedService();
  client = new pg.Client({ connectionString: service.databaseUrl });
  await client.connect();
  const [viewer, other] = [await signUp(service), await signUp(service)];
  viewerId = viewer.id;
  const workspace = await makeWorkspace(viewer);
  await addMember(viewer, workspace.id, other);
  const [project, otherProject] = [await makeProject(viewer), await makeProject(viewer)];
  const section = await makeSection(viewer, project.id);
  const [task, parent] = [
    await makeTask(viewer, { projectId: project.id }),
    await makeTask(viewer, { projectId: project.id }),
  ];
  const tag = await makeTag(viewer);
  changed = {
    tasks: `id = '${task.id}'`,
    projects: `id = '${project.id}'`,
    sections: `id = '${section.id}'`,
    tags: `id = '${tag.id}'`,
    memberships: `space_id = '${workspace.id}' AND user_id = '${other.id}'`,
    users: `id = '${other.id}'`,
    preferences: `user_id = '${viewer.id}'`,
    invitations: `id = '${await invite(viewer, workspace.id, 'somebody@example.com')}'`,
    spaces: `id = '${workspace.id}'`,
  };
  assignments = {
    'tasks.completed': 'completed = true, completed_at = now()',
    'tasks.completed_at': 'completed = true, completed_at = now()',
    'tasks.due_time': 'due_time = now(), is_all_day = false',
    'tasks.assignee_ids': `assignee_ids = ARRAY['${viewer.id}']`,
    'tasks.recurrence': `recurrence = '{"seriesId": "seri_1"}'`,
    'tasks.color': `color = '#abcdef'`,
    'tasks.section_id': `section_id = '${section.id}'`,
    'tasks.parent_id': `parent_id = '${parent.id}'`,
    'tasks.project_id': `project_id = '${otherProject.id}'`,
    'sections.project_id': `project_id = '${otherProject.id}'`,
    'preferences.digest_time': `digest_time = '12:34'`,
    'invitations.invited_by_id': `invited_by_id = '${other.id}'`,
  };
});
afterAll(async () => {
  await client.end();
});
beforeEach(() => client.query('BEGIN'));
afterEach(() => client.query('ROLLBACK'));

/** The state of everything that the viewer can read. */
const readState = async () => {
  const { rows } = await client.query(
    `SELECT jsonb_object_agg(id, spaces.revision) AS revisions, sum(related.revision) AS related
     FROM memberships JOIN spaces ON id = space_id JOIN related_revisions AS related USING (space_id)
     WHERE user_id = $1`,
    [viewerId],
  );
  return rows as unknown[];
};

describe.each(tables)('a change of %s by SQL', (table) => {
  test.each(columns.filter((each) => each.table === table))('notifies: $column', async ({ column, type }) => {
    const other = otherOf(column, type);
    const assignment = assignments[`${table}.${column}`] ?? (other && `${column} = ${other}`);
    if (assignment === undefined) throw new Error(`say what another value of ${table}.${column} is`);
    const before = await readState();
    await client.query(`UPDATE ${table} SET ${assignment} WHERE ${changed[table]}`);
    expect(await readState()).not.toEqual(before);
    const { rows } = await client.query(
      'SELECT type, fields FROM changes WHERE transaction_id = pg_current_xact_id()::text::bigint',
    );
    const loggedType = typeOf[table];
    const fields = table === 'tasks' ? expect.arrayContaining([fieldOf(column)]) : (partOf[table] ?? []);
    expect(rows).toEqual(loggedType === undefined ? [] : [{ type: loggedType, fields }]);
  });
});

// A column that an index names, even in its condition, makes each change of it an entry in every index of the table.
test('a change of a column that orders nothing adds no entry to an index', async () => {
  const read = async () =>
    (await client.query<{ hot: number }>(`SELECT pg_stat_get_xact_tuples_hot_updated('tasks'::regclass)::int AS hot`))
      .rows[0]?.hot;
  const before = (await read()) ?? NaN;
  await client.query(`UPDATE tasks SET reminder = NOT reminder, color = '#abcdef', is_all_day = NOT is_all_day
    WHERE ${changed['tasks'] ?? ''}`);
  expect(await read()).toBe(before + 1);
});

test('the search words follow title and description, and nothing else sets them', async () => {
  await client.query(
    `UPDATE tasks SET title = 'Kitchen', description = 'Paint it', search = '' WHERE ${changed['tasks'] ?? ''}`,
  );
  await client.query(`UPDATE tasks SET search = 'garden' WHERE ${changed['tasks'] ?? ''}`);
  const { rows } = await client.query(`SELECT search::text FROM tasks WHERE ${changed['tasks'] ?? ''}`);
  expect(rows).toEqual([{ search: `'it':3B 'kitchen':1A 'paint':2B` }]);
});

test('exceptions name existing columns', async () => {
  const actualColumns = (await columnsOf(service.databaseUrl, tables)).map(({ table, column }) => `${table}.${column}`);
  const namedColumns = Object.entries(exceptions).flatMap(([table, own]) =>
    Object.keys(own).map((column) => `${table}.${column}`),
  );
  expect(actualColumns).toEqual(expect.arrayContaining(namedColumns));
});
