import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { pruneBatch } from '../../src/changes/log/data.ts';
import { pruneChanges } from '../../src/changes/log/prune.ts';
import { withClockOff } from '../kit/clock.ts';
import { makeProject, makeTask, makeWorkspace } from '../kit/make.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp, type User } from '../kit/users.ts';
import { cursorOfNow, poll, Stream } from './stream.ts';

const day = 24 * 3_600_000;

let service: Service;
let anna: User;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

/** A user whose log is empty: signing up has logged the inbox. */
async function signUpWithoutLog(): Promise<User> {
  const user = await signUp(service);
  await service.sql('DELETE FROM changes WHERE space_id = $1', [user.id]);
  await service.sql('UPDATE spaces SET log_start = revision, log_start_nonce = history_nonce WHERE id = $1', [user.id]);
  return user;
}

const age = (days: number) =>
  service.sql(`UPDATE changes SET at = at - make_interval(days => $1) WHERE space_id = $2`, [days, anna.id]);
const rows = async () => (await service.sql('SELECT FROM changes WHERE space_id = $1', [anna.id])).length;

describe('retention of the change log', () => {
  test('forgets what is older; cursors before it expire over every transport, later ones go on', async () => {
    anna = await signUpWithoutLog();
    const first = await cursorOfNow(anna);
    await makeTask(anna);
    await makeTask(anna);
    await age(8);
    const kept = await cursorOfNow(anna);
    const { id } = await makeTask(anna);
    expect(await pruneChanges(7)).toBe(2);
    expect(await rows()).toBe(1);
    expect((await poll(anna, kept)).nodes).toMatchObject([{ taskId: id }]);
    expect(
      await anna.graphql('query ($after: String) { changes(after: $after) { cursor } }', { after: first }),
    ).toMatchObject({
      errors: [{ extensions: { code: 'CURSOR_EXPIRED' } }],
    });
    expect(await anna.get(`/api/v2/changes?after=${first}`)).toMatchObject({ status: 400 });
    const stream = await Stream.open(service, anna, { after: first });
    expect(await stream.ended).toBe('CURSOR_EXPIRED');
    stream.close();
  });

  test("goes by the database's clock, though the process' is off", async () => {
    anna = await signUpWithoutLog();
    await makeTask(anna);
    expect(await withClockOff(8 * day, () => pruneChanges(7))).toBe(0);
    await age(8);
    expect(await withClockOff(-8 * day, () => pruneChanges(7))).toBe(1);
  });

  test('goes in batches and waits for no writer', async () => {
    anna = await signUpWithoutLog();
    await makeTask(anna);
    await service.sql(`DO $$ BEGIN FOR n IN 1..1200 LOOP
      UPDATE tasks SET title = 'n' || n WHERE space_id = '${anna.id}'; END LOOP; END $$`);
    await age(8);
    const writer = new pg.Client(service.databaseUrl);
    await writer.connect();
    await writer.query('BEGIN');
    await writer.query('UPDATE spaces SET revision = revision WHERE id = $1', [anna.id]);
    expect(await pruneChanges(7)).toBe(0);
    await writer.query('COMMIT');
    await writer.end();
    expect(await pruneChanges(7)).toBe(1201);
    expect(await rows()).toBe(0);
  });

  test('forgets all of a space that is old at once, and raises its start once', async () => {
    anna = await signUpWithoutLog();
    for (let n = 0; n < 3; n += 1) await makeTask(anna);
    await age(8);
    const kept = await cursorOfNow(anna);
    const { id } = await makeTask(anna);
    expect(await pruneBatch(7, { oldest: 1, next: 2 })).toEqual({ deleted: 2, due: 1 });
    expect(await pruneBatch(7, { oldest: 1, next: 2 })).toEqual({ deleted: 1, due: 1 });
    expect(await pruneBatch(7, { oldest: 1, next: 2 })).toEqual({ deleted: 0, due: 0 });
    expect((await poll(anna, kept)).nodes).toMatchObject([{ taskId: id }]);
  });

  test('forgets what came before something old, whatever the clock said then', async () => {
    anna = await signUpWithoutLog();
    const first = await cursorOfNow(anna);
    for (let n = 0; n < 3; n += 1) await makeTask(anna);
    await service.sql(
      `UPDATE changes SET at = at - interval '8 days'
       WHERE space_id = $1 AND revision <> (SELECT revision - 1 FROM spaces WHERE id = $1)`,
      [anna.id],
    );
    expect(await pruneChanges(7)).toBe(3);
    expect(
      (await anna.graphql('query ($after: String) { changes(after: $after) { cursor } }', { after: first })).errors,
    ).toMatchObject([{ extensions: { code: 'CURSOR_EXPIRED' } }]);
  });

  test('is done once by two processes at once', async () => {
    anna = await signUpWithoutLog();
    await service.sql(
      `INSERT INTO tasks (id, space_id, project_id, title, sort_key)
       SELECT 'task_' || gen_random_uuid(), space_id, id, 'n', 'a0' FROM projects WHERE space_id = $1`,
      [anna.id],
    );
    await service.sql(`DO $$ BEGIN FOR n IN 1..500 LOOP
      UPDATE tasks SET title = 'n' || n WHERE space_id = '${anna.id}'; END LOOP; END $$`);
    await age(8);
    const kept = await cursorOfNow(anna);
    const deleted = await Promise.all([pruneChanges(7), pruneChanges(7)]);
    // One of them may have found its spaces held by the other, and left.
    expect(deleted.reduce((sum, count) => sum + count)).toBe(501);
    expect(await rows()).toBe(0);
    expect((await poll(anna, kept)).nodes).toEqual([]);
  });

  test('forgets changes of many tasks whole, in every space that no writer holds', async () => {
    const users = [await signUpWithoutLog(), await signUpWithoutLog()] as const;
    [anna] = users;
    const ids = users.map(({ id }) => id);
    const [before] = await Promise.all(users.map(cursorOfNow));
    await service.sql(
      `INSERT INTO tasks (id, space_id, project_id, title, sort_key)
       SELECT 'task_' || gen_random_uuid(), space_id, id, 'n', 'a0'
       FROM projects, generate_series(1, 600) WHERE space_id = ANY ($1)`,
      [ids],
    );
    await service.sql("UPDATE changes SET at = at - interval '8 days' WHERE space_id = ANY ($1)", [ids]);
    const [within] = (await poll(anna, before ?? '', 300)).nodes.slice(-1);
    const kept = await cursorOfNow(anna);
    const { id } = await makeTask(anna);
    const writer = new pg.Client(service.databaseUrl);
    await writer.connect();
    await writer.query('BEGIN');
    await writer.query('UPDATE spaces SET revision = revision WHERE id = $1', [ids[1]]);
    expect(await pruneChanges(7)).toBe(1);
    await writer.query('COMMIT');
    await writer.end();
    const old =
      "SELECT DISTINCT space_id AS id FROM changes WHERE at < now() - interval '7 days' AND space_id = ANY ($1)";
    expect(await service.sql(old, [ids])).toEqual([{ id: ids[1] }]);
    expect(await pruneChanges(7)).toBe(1);
    expect((await poll(anna, kept)).nodes).toMatchObject([{ taskId: id }]);
    const query = 'query ($after: String) { changes(after: $after) { cursor } }';
    for (const after of [before, within?.cursor]) {
      expect((await anna.graphql(query, { after })).errors).toMatchObject([{ extensions: { code: 'CURSOR_EXPIRED' } }]);
    }
  });

  test('leaves open subscriptions alone', async () => {
    anna = await signUpWithoutLog();
    const stream = await Stream.open(service, anna);
    await makeTask(anna);
    await stream.take();
    await age(8);
    await pruneChanges(7);
    const { id } = await makeTask(anna);
    expect(await stream.take()).toMatchObject({ taskId: id });
    stream.close();
  });

  test('expires no cursor, and no subscription, for what changed before it of another kind', async () => {
    anna = await signUp(service);
    const project = await makeProject(anna, { workspaceId: (await makeWorkspace(anna)).id });
    const stream = await Stream.open(service, anna);
    await makeProject(anna);
    await makeTask(anna, { projectId: project.id });
    await stream.take();
    // By now the project has been read, at the latest with that task.
    await makeTask(anna, { projectId: project.id });
    const { cursor } = await stream.take();
    await age(8);
    expect(await pruneChanges(7)).toBeGreaterThan(0);
    // It reads the log of all its spaces again.
    await makeWorkspace(anna);
    const { id } = await makeTask(anna, { projectId: project.id });
    expect(await stream.take()).toMatchObject({ taskId: id });
    expect((await poll(anna, cursor)).nodes).toMatchObject([{ taskId: id }]);
    stream.close();
  });
});
