import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import pg from 'pg';
import type { Point } from '@taskgate/postgres';
import type { SpacePoint, Points } from '../../src/changes/log/cursor.ts';
import type { LogRow } from '../../src/changes/log/data.ts';
import { readPage } from '../../src/changes/log/page.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp } from '../kit/users.ts';
import { cursorOfNow, poll, Stream } from './stream.ts';

let service: Service;
let client: pg.Client;
beforeAll(async () => {
  service = await startService();
  client = new pg.Client({ connectionString: service.databaseUrl });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await service.close();
});

const spaces = ['space_a', 'space_b', 'space_c'];

/** An independent log to compare with: each task once per statement and kind of change. */
const rowByRow = `
  CREATE TABLE told (
    transaction_id bigint DEFAULT pg_current_xact_id()::text::bigint, statement timestamptz DEFAULT statement_timestamp(),
    space_id text, task_id text, kind text, fields text[], project_id text, previous_project_id text
  );
  CREATE UNIQUE INDEX ON told
    (statement, space_id, task_id, kind, fields, coalesce(project_id, ''), coalesce(previous_project_id, ''));
  CREATE FUNCTION tell_of_task() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE
    names text[] := ARRAY(SELECT key FROM jsonb_each(to_jsonb(NEW)) WHERE value <> to_jsonb(OLD) -> key
      AND key NOT IN ('id', 'space_id', 'updated_at', 'search') ORDER BY key);
  BEGIN
    IF TG_OP = 'UPDATE' AND OLD.space_id = NEW.space_id THEN
      INSERT INTO told (space_id, task_id, kind, fields, project_id, previous_project_id)
      SELECT NEW.space_id, NEW.id, 'UPDATED', names, NEW.project_id, nullif(OLD.project_id, NEW.project_id)
      WHERE names <> '{}';
      RETURN NULL;
    END IF;
    IF TG_OP <> 'INSERT' THEN
      INSERT INTO told (space_id, task_id, kind, fields, project_id)
      VALUES (OLD.space_id, OLD.id, 'DELETED', names, OLD.project_id);
    END IF;
    IF TG_OP <> 'DELETE' THEN
      INSERT INTO told (space_id, task_id, kind, fields, project_id)
      VALUES (NEW.space_id, NEW.id, 'CREATED', names, NEW.project_id);
    END IF;
    RETURN NULL;
  END $$;
  CREATE TRIGGER tell AFTER INSERT OR UPDATE OR DELETE ON tasks FOR EACH ROW EXECUTE FUNCTION tell_of_task();
  CREATE FUNCTION tell_of_tag() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO told (space_id, task_id, kind, fields, project_id)
    SELECT tag.space_id, id, 'UPDATED', '{tags}', project_id
    FROM coalesce(NEW, OLD) AS tag JOIN tasks ON tasks.id = tag.task_id ON CONFLICT DO NOTHING;
    RETURN NULL;
  END $$;
  CREATE TRIGGER tell AFTER INSERT OR DELETE ON task_tags FOR EACH ROW EXECUTE FUNCTION tell_of_tag();`;

/** Spaces with two projects and two tags each. The owners of the tags see the tasks of all spaces. */
const seedSql = `
  INSERT INTO spaces (id, kind) SELECT unnest('{${spaces.join()}}'::text[]), 'PERSONAL';
  INSERT INTO users (id, email) SELECT id, id FROM spaces WHERE id LIKE 'space_%';
  INSERT INTO memberships (space_id, user_id)
  SELECT spaces.id, users.id FROM spaces, users WHERE spaces.id LIKE 'space_%' AND users.id LIKE 'space_%';
  INSERT INTO projects (id, space_id, name, slug, is_default)
  SELECT format('proj_%s_%s', right(id, 1), n), id, 'Project ' || n, 'project-' || n, n = 1
  FROM spaces, generate_series(1, 2) n WHERE id LIKE 'space_%';
  INSERT INTO tags (id, space_id, name, color)
  SELECT format('tag_%s_%s', right(id, 1), n), id, 'Tag ' || n, 'BLUE'
  FROM spaces, generate_series(1, 2) n WHERE id LIKE 'space_%';`;

const statements = {
  create: `INSERT INTO tasks (id, space_id, project_id, title, sort_key)
    SELECT 'task_' || gen_random_uuid(), space_id, id, 'new', 'a0'
    FROM projects, generate_series(1, 1 + $1 % 3) WHERE hashtext(id || $1) % 3 <> 0`,
  update: `UPDATE tasks SET updated_at = now(), title = 'title ' || $1 % 2, reminder = hashtext(id || $1) % 2 = 0,
      sort_key = CASE hashtext(id || $1) % 3 WHEN 0 THEN 'a' || $1 % 3 ELSE sort_key END
    WHERE hashtext($1 || id) % 3 <> 0`,
  move: `UPDATE tasks SET project_id = target.id, space_id = target.space_id
    FROM (SELECT id, space_id FROM projects ORDER BY hashtext(id || $1) LIMIT 1) AS target
    WHERE hashtext($1 || tasks.id) % 3 = 0`,
  tag: `INSERT INTO task_tags (task_id, tag_id, space_id)
    SELECT tasks.id, tags.id, tags.space_id FROM tasks, tags WHERE hashtext(tasks.id || tags.id || $1) % 3 = 0
    ON CONFLICT DO NOTHING`,
  untag: `DELETE FROM task_tags WHERE hashtext(task_id || tag_id || $1) % 3 = 0`,
  delete: `DELETE FROM tasks WHERE hashtext($1 || id) % 4 = 0`,
  rename: `UPDATE projects SET name = 'Project ' || $1 WHERE hashtext($1 || id) % 3 = 0 AND name <> 'Project ' || $1
    RETURNING space_id`,
};

const fieldOf: Record<string, string> = { sort_key: 'sortKey', project_id: 'project' };

type ReceivedRow = Omit<LogRow, 'revision' | 'part' | 'at' | 'presentSpace'>;
const readLog = async () => {
  const { rows } = await client.query<ReceivedRow>(
    `SELECT space_id AS "spaceId", transaction_id::int AS "transactionId", task_id AS "taskId", kind, fields,
       project_id AS "projectId", previous_project_id AS "previousProjectId" FROM told`,
  );
  return rows.map((row) => ({ ...row, fields: row.fields.map((name) => fieldOf[name] ?? name) }));
};
const sorted = (rows: ReceivedRow[]) =>
  rows
    .map(({ spaceId, transactionId, taskId, kind, fields, projectId, previousProjectId }) =>
      JSON.stringify([transactionId, spaceId, taskId, kind, [...fields].sort(), projectId, previousProjectId]),
    )
    .sort();

const points = async (): Promise<Points> => {
  const { rows } = await client.query<SpacePoint>(
    'SELECT id AS space, revision::int, history_nonce AS "historyNonce" FROM spaces WHERE id = ANY ($1)',
    [spaces],
  );
  return new Map(rows.map(({ space, revision, historyNonce }) => [space, { revision, historyNonce }]));
};
const revisionsOf = (all: ReadonlyMap<string, Point>) => new Map([...all].map(([id, { revision }]) => [id, revision]));

async function readAll(since: ReadonlyMap<string, Point>, limit: number) {
  const transactions: { rows: readonly LogRow[] }[] = [];
  for (let position = new Map(since); ;) {
    const page = await readPage(service.services, { points: position }, limit);
    expect(page.lost).toEqual(new Set());
    transactions.push(...page.transactions);
    position = page.points;
    if (!page.more) return { transactions, position };
  }
}

describe('the log read back', () => {
  beforeAll(async () => {
    await client.query(seedSql + rowByRow);
  });
  beforeEach(() => client.query('DELETE FROM tasks; DELETE FROM trash'));

  const transaction = fc.record({
    statements: fc.array(
      fc.record({
        kind: fc.constantFrom(...(Object.keys(statements) as (keyof typeof statements)[])),
        seed: fc.nat(1000),
      }),
      { minLength: 1, maxLength: 4 },
    ),
    commits: fc.boolean(),
  });

  test('has each changed task of a statement once, with its own revision, for pages of any size', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(transaction, { minLength: 2, maxLength: 8 }),
        fc.integer({ min: 1, max: 12 }),
        async (transactions, limit) => {
          await client.query('DELETE FROM told');
          const before = await points();
          const revisionsAfterRaise = revisionsOf(before);
          for (const { statements: own, commits } of transactions) {
            const renamed: string[] = [];
            await client.query('BEGIN');
            for (const { kind, seed } of [{ kind: 'create' as const, seed: 1 }, ...own]) {
              const { rows } = await client.query<{ space_id: string }>(statements[kind].replaceAll('$1', `'${seed}'`));
              renamed.push(...rows.map(({ space_id }) => space_id));
            }
            await client.query(commits ? 'COMMIT' : 'ROLLBACK');
            if (commits) for (const id of renamed) revisionsAfterRaise.set(id, (revisionsAfterRaise.get(id) ?? 0) + 1);
          }
          const expected = await readLog();
          for (const { spaceId } of expected)
            revisionsAfterRaise.set(spaceId, (revisionsAfterRaise.get(spaceId) ?? 0) + 1);
          const after = await points();
          expect(revisionsOf(after)).toEqual(revisionsAfterRaise);

          const { transactions: read, position } = await readAll(before, limit);
          expect(position).toEqual(after);
          expect(new Set(read.map(({ rows }) => rows[0]?.transactionId)).size).toBe(read.length);
          const rows = read.flatMap((each) => each.rows);
          expect(sorted(rows)).toEqual(sorted(expected));
          const reachedRevisions = revisionsOf(before);
          for (const { spaceId, revision } of rows) {
            expect(revision).toBeGreaterThan(reachedRevisions.get(spaceId) ?? 0);
            reachedRevisions.set(spaceId, revision);
          }

          // A position within the rows of a statement, which no cursor names.
          const { spaceId = '', revision = 0, historyNonce = 0 } = rows[Math.floor(rows.length / 2)] ?? {};
          const place = new Map([[spaceId, { revision, historyNonce }]]);
          const rest = (await readAll(place, limit)).transactions.flatMap((each) => each.rows);
          expect(rest).toEqual(rows.filter((row) => row.spaceId === spaceId && row.revision > revision));
        },
      ),
      { numRuns: 10 },
    );
  });

  test('returns whole transactions up to the changes of a page', async () => {
    const [project] = (await client.query<{ id: string }>("SELECT id FROM projects WHERE space_id = 'space_a'")).rows;
    const since = new Map([...(await points())].filter(([id]) => id === 'space_a'));
    for (const count of [5, 1, 5]) {
      await client.query(
        `INSERT INTO tasks (id, space_id, project_id, title, sort_key)
         SELECT 'task_' || gen_random_uuid(), 'space_a', $1, 'new', 'a0' FROM generate_series(1, $2)`,
        [project?.id, count],
      );
    }
    const counts = async (limit: number) => {
      const { transactions, more } = await readPage(service.services, { points: since }, limit);
      return [...transactions.map(({ rows }) => rows.length), more];
    };
    expect(await counts(1)).toEqual([5, true]);
    expect(await counts(5)).toEqual([5, true]);
    expect(await counts(6)).toEqual([5, 1, true]);
    expect(await counts(7)).toEqual([5, 1, 5, false]);
  });

  test('leaves a transaction of two spaces for the next page if the page ends before it in one of them', async () => {
    const since = new Map([...(await points())].filter(([id]) => id !== 'space_c'));
    const insert = (count: number, ...projects: string[]) =>
      client.query(
        `INSERT INTO tasks (id, space_id, project_id, title, sort_key)
         SELECT 'task_' || gen_random_uuid(), space_id, id, 'new', 'a0'
         FROM projects, generate_series(1, $1) WHERE id = ANY ($2)`,
        [count, projects],
      );
    await insert(2, 'proj_a_1');
    await insert(1, 'proj_a_1', 'proj_b_1');
    const [a = 0, b = 0] = ['space_a', 'space_b'].map((id) => since.get(id)?.revision);
    const pageOf = async (position: ReadonlyMap<string, Point>) => {
      const page = await readPage(service.services, { points: position }, 2);
      return { ...page, sizes: page.transactions.map(({ rows }) => rows.length) };
    };
    const first = await pageOf(since);
    expect(first).toMatchObject({ sizes: [2], more: true });
    expect(Object.fromEntries(revisionsOf(first.points))).toEqual({ space_a: a + 2, space_b: b });
    const second = await pageOf(first.points);
    expect(second).toMatchObject({ sizes: [2], more: false });
    expect(Object.fromEntries(revisionsOf(second.points))).toEqual({ space_a: a + 3, space_b: b + 1 });
    expect(second.points).toEqual(new Map([...(await points())].filter(([id]) => id !== 'space_c')));
  });

  test('keeps a transaction of several spaces whole, however much was written to one of them since', async () => {
    const since = new Map([...(await points())].filter(([id]) => id !== 'space_b'));
    const insert = (...projects: string[]) =>
      client.query(
        `INSERT INTO tasks (id, space_id, project_id, title, sort_key)
         SELECT 'task_' || gen_random_uuid(), space_id, id, 'new', 'a0' FROM projects WHERE id = ANY ($1)`,
        [projects],
      );
    await client.query('BEGIN');
    await insert('proj_a_1');
    await insert('proj_c_1');
    await client.query('COMMIT');
    for (let count = 0; count < 70; count += 1) await insert('proj_a_1');
    const { transactions } = await readPage(service.services, { points: since }, 1);
    expect(transactions.map(({ rows }) => rows.map(({ spaceId }) => spaceId))).toEqual([['space_a', 'space_c']]);
  });

  test.each([
    ['beyond the log', { revision: 5, historyNonce: 0 }],
    ['at the end of the log, with another nonce', { revision: 0, historyNonce: 1 }],
    ['within the log, with another nonce', { revision: -1, historyNonce: 1 }],
  ])('expires a cursor %s', async (_label, off) => {
    await client.query("UPDATE projects SET name = name || 'x' WHERE id = 'proj_a_1'");
    const { revision = 0, historyNonce = 0 } = (await points()).get('space_a') ?? {};
    const place = new Map([
      ['space_a', { revision: revision + off.revision, historyNonce: historyNonce + off.historyNonce }],
    ]);
    expect(await readPage(service.services, { points: place }, 10)).toMatchObject({ lost: new Set(['space_a']) });
  });
});

test('a change of a thousand tasks is delivered as a whole, and can be resumed anywhere in it', async () => {
  const user = await signUp(service);
  await client.query(
    `INSERT INTO tasks (id, space_id, project_id, title, sort_key)
     SELECT 'task_' || gen_random_uuid(), space_id, id, 'new', 'a0'
     FROM projects, generate_series(1, 1000) WHERE space_id = $1`,
    [user.id],
  );
  const after = await cursorOfNow(user);
  const stream = await Stream.open(service, user, { after });
  await client.query('UPDATE tasks SET reminder = true WHERE space_id = $1', [user.id]);
  expect(await client.query('SELECT FROM task_changes WHERE space_id = $1', [user.id])).toMatchObject({ rowCount: 2 });
  const changes = await stream.takeMany(1000);
  stream.close();
  expect(new Set(changes.map(({ taskId }) => taskId)).size).toBe(1000);
  expect(changes.every(({ changedFields }) => changedFields.join() === 'reminder')).toBe(true);
  const ids = changes.map(({ taskId }) => taskId);
  const rest = await poll(user, changes[600]?.cursor ?? '', 500);
  expect(rest.nodes.map(({ taskId }) => taskId)).toEqual(ids.slice(601));
  expect(await poll(user, changes.at(-1)?.cursor ?? '')).toMatchObject({ nodes: [], hasNextPage: false });
});
