import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { mayMutate } from '../../src/platform/policy.ts';
import { type Role, roles } from '../../src/platform/roles.ts';
import { makeProgram, type Program } from '../kit/program.ts';
import { type Service, startService } from '../kit/service.ts';
import { send, writesAllowedTo, writesByRole } from '../rest/role-writes.ts';
import { codesOf, documentOf, isAllowed, leastRoles, names, RoleWorld, type WorldTargets } from './role-world.ts';

let service: Service;
let world: RoleWorld;
let program: Program;
beforeAll(async () => {
  service = await startService({ RATE_LIMITS: 'off' });
  world = await RoleWorld.start(service);
  program = await makeProgram(service, world.guest);
});
afterAll(() => service.close());

/** Runs an act for a role in a new world. @returns its answer, and whether rows changed */
async function runAs<Answer>(role: Role, act: (targets: WorldTargets) => Promise<Answer>) {
  const targets = await world.make();
  await world.setRole(targets.workspaceId, role);
  const rows = () => world.rowsOf(targets.workspaceId, targets.otherWorkspaceId, world.guest.id);
  const before = await rows();
  const answer = await act(targets);
  const isChanged = JSON.stringify(await rows()) !== JSON.stringify(before);
  await world.discard(targets);
  return { answer, isChanged };
}

const cells = names.flatMap((name) =>
  roles.filter((role) => isAllowed(name, role)).map((role) => [name, role] as const),
);

test.each(cells)('%s is done for a %s', async (name, role) => {
  const { answer, isChanged } = await runAs(role, (targets) =>
    world.guest.graphql(`mutation { ${documentOf(name, targets)} }`),
  );
  expect({ codes: codesOf(answer), isChanged }).toEqual({ codes: [], isChanged: true });
});

/** The claim belongs to the session of the guest. */
const isOfSession = (name: string) => /(renew|release)Claim|claims\/:fence/.test(name);

test.each(cells.filter(([name, role]) => role === leastRoles[name]))(
  '%s by a token WRITE of a %s is done if its scope suffices, too',
  async (name, role) => {
    const { answer, isChanged } = await runAs(role, (targets) =>
      program.graphql(`mutation { ${documentOf(name, targets)} }`),
    );
    const isDone = mayMutate({ rights: 'write' }, name) && !isOfSession(name);
    expect({ codes: codesOf(answer), isChanged }).toEqual({ codes: isDone ? [] : ['FORBIDDEN'], isChanged: isDone });
  },
);

const writeCells = roles.flatMap((role) => writesAllowedTo(role).map((name) => [name, role] as const));

test.each(writeCells)('%s is done for a %s', async (name, role) => {
  const { answer, isChanged } = await runAs(role, (targets) => send(name, world.guest, targets));
  expect([200, 201]).toContain(answer.status);
  expect(isChanged).toBe(true);
});

test.each(writeCells.filter(([name, role]) => writesByRole[role].includes(name)))(
  '%s by a token WRITE of a %s is done if its scope suffices, too',
  async (name, role) => {
    const { answer, isChanged } = await runAs(role, (targets) => send(name, program, targets));
    const isDone = !/workspaces|invitations/.test(name) && !isOfSession(name);
    expect({ isRefused: answer.status === 403, isChanged }).toEqual({ isRefused: !isDone, isChanged: isDone });
  },
);

test('nothing is done by a query', async () => {
  const { isChanged } = await runAs('ADMIN', () => world.guest.graphql('{ viewer { id } }'));
  expect(isChanged).toBe(false);
});
