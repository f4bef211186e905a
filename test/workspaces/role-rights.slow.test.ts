import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { roles } from '../../src/platform/roles.ts';
import { type Service, startService } from '../kit/service.ts';
import { documentOf, isAllowed, names, RoleWorld } from './role-world.ts';

let service: Service;
let world: RoleWorld;
beforeAll(async () => {
  service = await startService({ RATE_LIMITS: 'off' });
  world = await RoleWorld.start(service);
});
afterAll(() => service.close());

const cells = names.flatMap((name) =>
  roles.filter((role) => isAllowed(name, role)).map((role) => [name, role] as const),
);

test.each(cells)('%s is done for a %s', async (name, role) => {
  const targets = await world.make();
  await world.setRole(targets.workspaceId, role);
  const answer = await world.guest.graphql(`mutation { ${documentOf(name, targets)} }`);
  expect(answer.errors).toBeUndefined();
  await world.discard(targets);
});
