import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { makeTask, makeWorkspace } from '../kit/make.ts';
import { Restorable } from '../kit/restorable.ts';
import type { Service } from '../kit/service.ts';
import { signUp } from '../kit/users.ts';
import { passPeriods } from '../changes/periods.ts';
import { listEntities, Replica, SyncStream } from './replica.ts';

let restorable: Restorable;
let service: Service;
beforeAll(async () => {
  restorable = await Restorable.start();
  service = restorable.service;
});
afterAll(() => restorable.close());

const isExpired = { errors: [{ extensions: { code: 'CURSOR_EXPIRED' } }] };
const syncFrom = (after: string | null) => `{ sync(after: "${after}") { cursor } }`;

test('a cursor from before the kept log expires, but continues if nothing has changed since', async () => {
  const anna = await signUp(service);
  const [old, quiet] = [new Replica(), new Replica()];
  await makeWorkspace(anna);
  await old.pull(anna);
  await makeTask(anna);
  await quiet.pull(anna);
  await passPeriods(service, 3);
  expect(await service.sql('SELECT FROM changes')).toEqual([]);
  expect(await anna.graphql(syncFrom(old.cursor))).toMatchObject(isExpired);
  expect(await anna.graphql(syncFrom(quiet.cursor))).toMatchObject({ data: { sync: { cursor: quiet.cursor } } });
  await makeTask(anna);
  await quiet.pull(anna);
  expect(quiet.entities).toEqual(await listEntities(anna));
});

test('a cursor of a history that a restore has removed expires, even once revisions have passed it', async () => {
  const [anna, ben] = [await signUp(service), await signUp(service)];
  const workspace = await makeWorkspace(anna, ben);
  const [kept, lost, bensReplica] = [new Replica(), new Replica(), new Replica()];
  await kept.pull(anna);
  const restore = await restorable.backUp();
  await makeTask(anna);
  await anna.data('mutation ($id: ID!) { updateWorkspace(id: $id, name: "Lost") { id } }', { id: workspace.id });
  await lost.pull(anna);
  await bensReplica.pull(ben);
  const live = await SyncStream.open(service, anna, kept.cursor);
  expect(await live.batches.take()).toMatchObject({ hasMore: false });
  await restore();
  expect(await anna.graphql(syncFrom(lost.cursor))).toMatchObject(isExpired);
  expect(await live.ended).toBe('CURSOR_EXPIRED');
  live.close();
  // As many changes as were lost, and one more.
  await makeTask(anna);
  expect(await anna.graphql(syncFrom(lost.cursor))).toMatchObject(isExpired);
  await makeTask(anna);
  expect(await anna.graphql(syncFrom(lost.cursor))).toMatchObject(isExpired);
  await anna.data('mutation ($id: ID!) { updateWorkspace(id: $id, name: "Found") { id } }', { id: workspace.id });
  expect(await ben.graphql(syncFrom(bensReplica.cursor))).toMatchObject(isExpired);
  // A cursor from before the backup still works.
  await kept.pull(anna);
  expect(kept.entities).toEqual(await listEntities(anna));
});

test('a subscription of a process that survives a restore ends, even if revisions have reached its position again', async () => {
  const anna = await signUp(service);
  await makeTask(anna);
  const restore = await restorable.backUp();
  const live = await SyncStream.open(service, anna);
  await live.feed(new Replica(), ({ tasks }) => tasks.length === 1);
  const rename = (title: string) => service.sql('UPDATE tasks SET title = $2 WHERE space_id = $1', [anna.id, title]);
  await rename('lost');
  await live.batches.take();
  await restore(() => rename('found'));
  expect(await live.ended).toBe('CURSOR_EXPIRED');
  live.close();
});

test("a member's name that a restore has reverted is sent again, and so is the next one", async () => {
  const [anna, ben] = [await signUp(service), await signUp(service)];
  await makeWorkspace(anna, ben);
  const rename = (name: string) =>
    ben.data('mutation ($name: String!) { updateProfile(name: $name) { id } }', { name });
  const restore = await restorable.backUp();
  await rename('Lost');
  const [behind, further] = [new Replica(), new Replica()];
  await behind.pull(anna);
  await further.pull(anna);
  await restore();
  await behind.pull(anna);
  expect(behind.entities).toEqual(await listEntities(anna));
  await rename('Found');
  await further.pull(anna);
  expect(further.entities).toEqual(await listEntities(anna));
});
