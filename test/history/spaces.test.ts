import { beforeAll, expect, test } from '@jest/globals';
import { makeProject, makeTask, makeWorkspace } from '../kit/make.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { signUp, type User } from '../kit/users.ts';

let service: Service;
let anna: User;
let ben: User;
beforeAll(async () => {
  service = await sharedService();
  [anna, ben] = [await signUp(service), await signUp(service)];
});

const prioritiesOf = async (ids: readonly string[]) => {
  const rows = await service.sql<{ id: string; priority: string }>(
    'SELECT id, priority FROM tasks WHERE id = ANY ($1)',
    [ids],
  );
  const priorities = new Map(rows.map(({ id, priority }) => [id, priority]));
  return ids.map((id) => priorities.get(id));
};

test.each<[string, (path: string) => Promise<{ headers: Headers }>, (string | undefined)[]]>([
  ['an update', (path) => anna.patch(path, { priority: 'high' }), ['LOW', 'HIGH', 'HIGH']],
  ['a deletion', (path) => anna.delete(path), ['LOW', undefined, undefined]],
])(
  'a member of one of the spaces of %s undoes that part, and the rest is a conflict without an id',
  async (_name, change, expected) => {
    const [shared, own] = [await makeWorkspace(anna, ben), await makeWorkspace(anna)];
    const projects = [
      await makeProject(anna, { workspaceId: shared.id }),
      await makeProject(anna, { workspaceId: own.id }),
    ];
    const ids: string[] = [];
    for (const projectId of [...projects.map(({ id }) => id), undefined]) {
      ids.push((await makeTask(anna, { priority: 'low', projectId })).id);
    }
    const { headers } = await change(`/api/v2/todo/bulk?todoIds=${ids.join(',')}`);
    const path = `/api/v2/operations/${headers.get('x-operation-id')}/undo`;
    const undoResult = await ben.post(path);
    expect(undoResult).toMatchObject({
      status: 200,
      body: { applied: 1, conflicts: [{ id: null, field: null, reason: 'is in a space that you cannot see' }] },
    });
    const text = JSON.stringify(undoResult.body);
    for (const hiddenIds of [...ids.slice(1), own.id, projects[1]?.id, anna.id]) expect(text).not.toContain(hiddenIds);
    expect(await prioritiesOf(ids)).toEqual(expected);
    // Even a partial undo is the only one.
    expect(await anna.post(path)).toMatchObject({ status: 400, body: { errors: [{ path: 'operationId' }] } });
  },
);
