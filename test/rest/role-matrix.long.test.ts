import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { roles } from '../../src/platform/roles.ts';
import { type Service, startService } from '../kit/service.ts';
import { makeProgram, type Program } from '../kit/program.ts';
import { RoleWorld, type WorldTargets } from '../workspaces/role-world.ts';
import { send, writes, writesByRole, writesRefusedTo } from './role-writes.ts';

let service: Service;
let world: RoleWorld;
let kept: WorldTargets;
let program: Program;
beforeAll(async () => {
  service = await startService();
  world = await RoleWorld.start(service);
  kept = await world.make();
  program = await makeProgram(service, world.guest);
});
afterAll(() => service.close());

test('every write of the OpenAPI document has a least role', () => {
  expect(Object.values(writesByRole).flat().sort()).toEqual(writes.toSorted());
});

// One comparison for each role suffices: the logs have a row for each change, also if a later one reverses it.
test.each(roles)('what a %s may not write is 403, also by a token, and changes nothing', async (role) => {
  await world.setRole(kept.workspaceId, role);
  const before = await world.rowsOf(kept.workspaceId, world.guest.id);
  for (const name of writesRefusedTo(role)) {
    for (const client of [world.guest, program]) {
      const answer = await send(name, client, kept);
      expect({ name, ...answer }).toMatchObject({ name, status: 403, body: { code: 'FORBIDDEN' } });
    }
  }
  expect(await world.rowsOf(kept.workspaceId, world.guest.id)).toEqual(before);
});
