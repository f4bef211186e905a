import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { roles } from '../../src/platform/roles.ts';
import type { GraphqlAnswer } from '../kit/client.ts';
import { makeProgram } from '../kit/program.ts';
import { type Service, startService } from '../kit/service.ts';
import { Socket } from '../changes/stream.ts';
import { newKey, withKey } from '../idempotency/keyed.ts';
import { codesOf, documentOf, isAllowed, names, RoleWorld, type WorldTargets } from './role-world.ts';

let service: Service;
let world: RoleWorld;
let kept: WorldTargets;
let socket: Socket;
beforeAll(async () => {
  service = await startService();
  world = await RoleWorld.start(service);
  kept = await world.make();
  socket = await Socket.ready(service.url, world.guest.cookie);
});
afterAll(async () => {
  socket.close();
  await service.close();
});

const overSocket = async (query: string) => (await socket.run(query)).payload as GraphqlAnswer<unknown>;

// One comparison for each role suffices: the logs have a row for each change, also if a later one reverses it.
test.each(roles)('what a %s may not do is FORBIDDEN by every way, and changes nothing', async (role) => {
  await world.setRole(kept.workspaceId, role);
  const before = await world.rowsOf(kept.workspaceId, world.guest.id);
  for (const name of names.filter((each) => !isAllowed(each, role))) {
    const query = `mutation { ${documentOf(name, kept)} }`;
    const keyed = await world.guest.post<GraphqlAnswer<unknown>>('/graphql', { query }, withKey(newKey()));
    const answers = [await world.guest.graphql(query), await overSocket(query), keyed.body];
    expect([name, ...answers.map(codesOf)]).toEqual([name, ...answers.map(() => ['FORBIDDEN'])]);
  }
  expect(await world.rowsOf(kept.workspaceId, world.guest.id)).toEqual(before);
  expect(await service.sql('SELECT FROM idempotency_keys')).toEqual([]);
});

test.each(roles)('what a %s may not do is FORBIDDEN after an allowed mutation of the same request', async (role) => {
  await world.setRole(kept.workspaceId, role);
  const before = await world.rowsOf(kept.workspaceId);
  for (const name of names.filter((each) => !isAllowed(each, role))) {
    const allowed = documentOf('updatePreferences', kept);
    const answer = await world.guest.graphql(`mutation { ${allowed} ${documentOf(name, kept)} }`);
    expect([name, codesOf(answer)]).toEqual([name, ['FORBIDDEN']]);
  }
  expect(await world.rowsOf(kept.workspaceId)).toEqual(before);
});

test.each(['READ', 'WRITE'] as const)('a token %s may do what both its scope and the role allow', async (scope) => {
  const program = await makeProgram(service, world.guest, { scopes: [scope] });
  for (const role of ['VIEWER', 'COMMENTER'] as const) {
    await world.setRole(kept.workspaceId, role);
    const before = await world.rowsOf(kept.workspaceId, world.guest.id);
    for (const name of names.filter((each) => !isAllowed(each, role))) {
      const answer = await program.graphql(`mutation { ${documentOf(name, kept)} }`);
      expect([name, codesOf(answer)]).toEqual([name, ['FORBIDDEN']]);
    }
    expect(await world.rowsOf(kept.workspaceId, world.guest.id)).toEqual(before);
  }
});
