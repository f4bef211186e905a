import { beforeAll, expect, test } from '@jest/globals';
import { cursorOfNow, poll } from '../changes/stream.ts';
import { operationOf, undo } from '../history/undoing.ts';
import { makeProject, makeTask, makeWorkspace } from '../kit/make.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { signUp, type User } from '../kit/users.ts';
import { checkChanges, readLog, revisions } from './checker.ts';
import type { RunSql } from './effects.ts';

let service: Service;
let anna: User;
const sql: RunSql = (text, values) => service.sql(text, values);
beforeAll(async () => {
  service = await sharedService();
  anna = await signUp(service);
});

/**
 * Changes a task, deletes it, brings it back and changes it again.
 * @param projectId of another space: the task moves there before its deletion
 * @returns what a client receives that reads before and after its return
 */
async function receiveAroundReturn(projectId?: string) {
  const { id } = await makeTask(anna);
  const [since, start] = [await revisions(sql), await cursorOfNow(anna)];
  await anna.patch(`/api/v2/todo/${id}`, { title: 'before' });
  if (projectId !== undefined) await anna.patch(`/api/v2/todo/${id}`, { projectId });
  const deletion = operationOf(await anna.delete(`/api/v2/todo/${id}`));
  const before = await poll(anna, start);
  await undo(anna, deletion);
  await anna.patch(`/api/v2/todo/${id}`, { title: 'after' });
  const after = await poll(anna, before.cursor);
  const changes = [...before.nodes, ...after.nodes];
  const log = await readLog(sql, anna.id, since, await revisions(sql));
  return { kinds: changes.map(({ kind }) => kind), received: changes.map(({ taskId, at }) => `${taskId} ${at}`), log };
}

const inWorkspace = async () => (await makeProject(anna, { workspaceId: (await makeWorkspace(anna)).id })).id;

test.each([
  ['a change', () => undefined, 4],
  ['a move to the space', inWorkspace, 5],
])('%s before the deletion of a task that is back may be left out', async (_label, place, changes) => {
  const { kinds, received, log } = await receiveAroundReturn(await place());
  expect(kinds).toEqual(['DELETED', 'CREATED', 'UPDATED']);
  expect(log).toHaveLength(changes);
  expect(checkChanges(received, log)).toEqual({ problems: [], later: [] });
});

test('a change before a move between spaces must arrive', async () => {
  const { id } = await makeTask(anna);
  const since = await revisions(sql);
  await anna.patch(`/api/v2/todo/${id}`, { title: 'before' });
  await anna.patch(`/api/v2/todo/${id}`, { projectId: await inWorkspace() });
  const log = await readLog(sql, anna.id, since, await revisions(sql));
  expect(log).toMatchObject([{ must: true }, { must: true }]);
});

test.each([0, 1, 2])('its deletion, its return and later changes must arrive: number %i', async (index) => {
  const { received, log } = await receiveAroundReturn();
  const [missing] = received.splice(index, 1);
  expect(checkChanges(received, log).problems).toEqual([`missed: ${missing}`]);
});
