import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Progress } from '../../src/changes/log/progress.ts';
import type { Points } from '../../src/changes/log/cursor.ts';
import type { Change } from '../../src/changes/log/merge.ts';
import { readPage } from '../../src/changes/log/page.ts';
import { makeWorkspace } from '../kit/make.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp, type User } from '../kit/users.ts';
import { cursorOfNow, poll, type ReceivedChange, Stream } from './stream.ts';

/** Limit of the changes of one transaction in a reader's memory: see `max_part` in prisma/functions/change_log.sql. */
const maxPart = 5000;
const pageSize = 500;

let service: Service;
let anna: User;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());
beforeEach(async () => {
  anna = await signUp(service);
});

async function pointsOf(...spaceIds: string[]): Promise<Points> {
  const rows = await service.sql<{ id: string; revision: number; historyNonce: number }>(
    'SELECT id, revision::float8, history_nonce AS "historyNonce" FROM spaces WHERE id = ANY ($1)',
    [spaceIds],
  );
  return new Map(rows.map(({ id, ...point }) => [id, point]));
}

const insertTasks = (spaceId: string, count: number) =>
  service.sql(
    `INSERT INTO tasks (id, space_id, project_id, title, sort_key)
     SELECT format('task_%s', replace(gen_random_uuid()::text, '-', '')), space_id, id, 'Task', 'a0'
     FROM (SELECT * FROM projects WHERE space_id = $1 LIMIT 1) AS project, generate_series(1, $2)`,
    [spaceId, count],
  );

async function readAll(points: Points) {
  const progress = new Progress({ points });
  const changes: Change[] = [];
  for (let most = 0; ;) {
    const page = await readPage(service.services, progress, pageSize);
    const rows = page.transactions.flatMap((transaction) => transaction.rows);
    most = Math.max(most, rows.length);
    for (const transaction of progress.interruptedFirst(page.transactions)) {
      for (let next = progress.nextChange(transaction, null); next; next = progress.nextChange(transaction, null)) {
        changes.push(next);
      }
    }
    progress.reach(page.points);
    if (!page.more) return { changes, most, points: progress.points };
  }
}

const kindsOf = (changes: readonly Change[]) => [...new Set(changes.map(({ kind }) => kind))];
const tasksOf = (changes: readonly Change[]) => new Set(changes.map(({ taskId }) => taskId));

describe('a transaction of 12,000 changes', () => {
  const count = 12_000;

  test('is read in pages of bounded size, each task once', async () => {
    const since = await pointsOf(anna.id);
    await insertTasks(anna.id, count);
    const made = await readAll(since);
    expect(made.most).toBeLessThanOrEqual(pageSize + maxPart);
    expect(made.points).toEqual(await pointsOf(anna.id));
    expect(made.changes).toHaveLength(count);
    expect(tasksOf(made.changes).size).toBe(count);
    expect(kindsOf(made.changes)).toEqual(['CREATED']);
    await service.sql('DELETE FROM tasks WHERE space_id = $1', [anna.id]);
    const gone = await readAll(made.points);
    expect(gone.most).toBeLessThanOrEqual(pageSize + maxPart);
    expect(gone.changes).toHaveLength(count);
    expect(kindsOf(gone.changes)).toEqual(['DELETED']);
  });

  test('of several statements is read in the same way, and a move to another space is one change', async () => {
    const workspace = await makeWorkspace(anna);
    const { body } = await anna.post<{ project: { id: string } }>('/api/v2/projects', {
      name: 'Moved here',
      workspaceId: workspace.id,
    });
    await insertTasks(anna.id, count);
    const since = await pointsOf(anna.id, workspace.id);
    await service.sql(
      `DO $$ BEGIN
         UPDATE tasks SET reminder = true WHERE space_id = '${anna.id}';
         UPDATE tasks SET space_id = '${workspace.id}', project_id = '${body.project.id}' WHERE space_id = '${anna.id}';
       END $$`,
    );
    const { changes, most, points } = await readAll(since);
    expect(most).toBeLessThanOrEqual(pageSize + maxPart);
    expect(points).toEqual(await pointsOf(anna.id, workspace.id));
    expect(kindsOf(changes)).toEqual(['UPDATED']);
    const moves = changes.filter(({ fields }) => fields.includes('project'));
    expect(moves).toHaveLength(count);
    expect(tasksOf(moves).size).toBe(count);
  });

  test('reaches polls and subscriptions, wherever they resume', async () => {
    const after = await cursorOfNow(anna);
    await insertTasks(anna.id, maxPart + 600);
    const told: ReceivedChange[] = [];
    for (let from = after; from !== '';) {
      const { nodes, cursor, hasNextPage } = await poll(anna, from, 500);
      told.push(...nodes);
      from = hasNextPage ? cursor : '';
    }
    expect(new Set(told.map(({ taskId }) => taskId)).size).toBe(maxPart + 600);
    expect(told).toHaveLength(maxPart + 600);
    for (const index of [maxPart - 2, maxPart - 1, maxPart]) {
      const stream = await Stream.open(service, anna, { after: told[index]?.cursor ?? '' });
      const next = await stream.takeMany(3);
      expect(next.map(({ taskId }) => taskId)).toEqual(told.slice(index + 1, index + 4).map(({ taskId }) => taskId));
      stream.close();
    }
  });
});

describe('changes of many spaces', () => {
  const perTransaction = 600;
  let spaces: string[];
  beforeEach(async () => {
    const name = crypto.randomUUID();
    spaces = Array.from({ length: 20 }, (_, index) => `${name}_${String(index).padStart(2, '0')}`);
    await service.sql(
      `WITH made AS (INSERT INTO spaces (id, kind) SELECT unnest($1::text[]), 'PERSONAL' RETURNING id)
       INSERT INTO projects (id, space_id, name, slug, is_default) SELECT 'proj_' || id, id, 'Inbox', 'inbox', true FROM made`,
      [spaces],
    );
  });
  const insertInto = (...into: string[]) =>
    service.sql(
      `INSERT INTO tasks (id, space_id, project_id, title, sort_key)
       SELECT format('task_%s', replace(gen_random_uuid()::text, '-', '')), space_id, id, 'Task', 'a0'
       FROM projects, generate_series(1, $2) WHERE space_id = ANY ($1)`,
      [into, perTransaction],
    );

  test('are read in pages of bounded size', async () => {
    const since = await pointsOf(...spaces);
    for (const spaceId of spaces) await insertInto(spaceId);
    const { changes, most, points } = await readAll(since);
    expect(changes).toHaveLength(perTransaction * spaces.length);
    expect(most).toBeLessThanOrEqual(pageSize + maxPart);
    expect(points).toEqual(await pointsOf(...spaces));
  });

  test('are read in pages even if the first transaction of each waits for one of the next', async () => {
    const since = await pointsOf(...spaces);
    for (let index = spaces.length - 1; index >= 0; index -= 1) await insertInto(...spaces.slice(index, index + 2));
    const { changes, most, points } = await readAll(since);
    expect(changes).toHaveLength(perTransaction * (2 * spaces.length - 1));
    expect(most).toBeLessThanOrEqual(pageSize + maxPart);
    expect(points).toEqual(await pointsOf(...spaces));
  });
});
