import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { roles } from '../../src/platform/roles.ts';
import type { GraphqlAnswer } from '../kit/client.ts';
import { makeProgram } from '../kit/program.ts';
import { type Service, startService } from '../kit/service.ts';
import { Socket } from '../changes/stream.ts';
import { newKey, withKey } from '../idempotency/keyed.ts';
import { documentOf, isAllowed, names, RoleWorld } from './role-world.ts';

let service: Service;
let world: RoleWorld;
let kept: Awaited<ReturnType<RoleWorld['make']>>;
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

const codesOf = ({ errors = [] }: Pick<GraphqlAnswer<unknown>, 'errors'>) => [
  ...new Set(errors.map(({ extensions }) => extensions.code)),
];

const overSocket = async (query: string) => (await socket.run(query)).payload as GraphqlAnswer<unknown>;

const cells = names.flatMap((name) =>
  roles.filter((role) => !isAllowed(name, role)).map((role) => [name, role] as const),
);

test.each(cells)('%s is FORBIDDEN to a %s by every way, and changes nothing', async (name, role) => {
  await world.setRole(kept.workspaceId, role);
  const before = await world.rowsOf(kept.workspaceId);
  const query = `mutation { ${documentOf(name, kept)} }`;
  const key = newKey();
  const keyed = await world.guest.post<GraphqlAnswer<unknown>>('/graphql', { query }, withKey(key));
  const several = `mutation { updatePreferences(input: { reminderBefore: 20 }) { reminderBefore } ${documentOf(name, kept)} }`;
  const answers = [
    await world.guest.graphql(query),
    await world.guest.graphql(several),
    await overSocket(query),
    keyed.body,
  ];
  expect(answers.map(codesOf)).toEqual(answers.map(() => ['FORBIDDEN']));
  expect(await service.sql('SELECT FROM idempotency_keys WHERE key = $1', [key])).toEqual([]);
  expect(await world.rowsOf(kept.workspaceId)).toEqual(before);
});

test.each(['READ', 'WRITE'] as const)('a token %s may do what both its scope and the role allow', async (scope) => {
  const program = await makeProgram(service, world.guest, { scopes: [scope] });
  for (const role of ['VIEWER', 'COMMENTER'] as const) {
    await world.setRole(kept.workspaceId, role);
    const before = await world.rowsOf(kept.workspaceId);
    for (const name of names.filter((each) => !isAllowed(each, role))) {
      const answer = await program.graphql(`mutation { ${documentOf(name, kept)} }`);
      expect([name, codesOf(answer)]).toEqual([name, ['FORBIDDEN']]);
    }
    expect(await world.rowsOf(kept.workspaceId)).toEqual(before);
  }
});
