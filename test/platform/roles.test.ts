import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { signedIn, type Viewer } from '../../src/platform/context.ts';
import { type Role, roles } from '../../src/platform/roles.ts';
import { write } from '../../src/platform/write.ts';
import { contextOf } from '../kit/context.ts';
import { makeWorkspace } from '../kit/make.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp, type User } from '../kit/users.ts';

let service: Service;
let anna: User;
let ben: User;
let workspace: { id: string };
beforeAll(async () => {
  service = await startService();
  [anna, ben] = await Promise.all([signUp(service), signUp(service)]);
  workspace = await makeWorkspace(anna, ben);
});
afterAll(() => service.close());

const setRole = (role: Role) =>
  service.sql(`UPDATE memberships SET role = $1::"WorkspaceRole" WHERE space_id = $2 AND user_id = $3`, [
    role,
    workspace.id,
    ben.id,
  ]);
const viewerOf = async (): Promise<Viewer> => signedIn(await contextOf(service, ben));

test.each(roles)('the lock gives a write the roles of the caller: %s', async (role) => {
  await setRole(role);
  const ids = [ben.id, workspace.id];
  const held = await write(await viewerOf(), { needs: 'VIEWER', ids }, (_tx, caller) => Promise.resolve(caller));
  expect(held.spaceIds.toSorted()).toEqual(ids.toSorted());
  expect(held.roles).toEqual(
    new Map([
      [ben.id, 'ADMIN'],
      [workspace.id, role],
    ]),
  );
});

test.each(roles)('a write that names no role needs EDITOR: %s', async (role) => {
  await setRole(role);
  const made = write(await viewerOf(), { ids: [ben.id, workspace.id] }, () => Promise.resolve('written'));
  if (role === 'EDITOR' || role === 'ADMIN') expect(await made).toBe('written');
  else await expect(made).rejects.toMatchObject({ code: 'FORBIDDEN', message: /needs the role EDITOR/ });
});
