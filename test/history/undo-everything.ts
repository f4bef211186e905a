import type { Client } from '../kit/client.ts';
import { brokenInvariants } from '../kit/invariants.ts';
import { makeProgram } from '../kit/program.ts';
import { signInAgain } from '../kit/users.ts';
import type { Act } from './acts.ts';
import { requireSame } from './random-undo.ts';
import type { Step, World } from './undo-world.ts';

export const spaceKinds = ['personal', 'workspace'] as const;

/**
 * Performs every act in a space, and undoes the operation, the undo, and that undo. @param performed acts that had an
 * effect: they are skipped, and new ones added @throws Error for a conflict or another state, because nobody else
 * changes anything
 */
export async function undoEachIn(
  world: World,
  kind: (typeof spaceKinds)[number],
  numbers: Omit<Step, 'act' | 'user'>,
  performed: Set<Act>,
): Promise<void> {
  const spaceId = kind === 'personal' ? world.users[0]?.id : world.spaceIds.at(-1);
  const known = new Set(performed);
  const step = { ...numbers, user: 0 };
  const { length } = world.variations(step, await world.state(), spaceId);
  for (let at = 0; at < length; at += 1) {
    const before = await world.state();
    const { kind: act, variables } = world.variations(step, before, spaceId)[at] ?? { kind: 'undo', variables: {} };
    if (known.has(act)) continue;
    // A restore needs an entry of the trash, an undo an operation.
    if (act === 'restore' || act === 'undo') {
      const id = world.variations(step, before, spaceId).find((each) => each.kind === 'deleteTask')?.variables;
      await world.perform(0, 'deleteTask', id ?? {}, before);
      const needed = act === 'restore' ? { ids: Object.values(id ?? {}) } : { operationId: world.done.at(-1)?.id };
      await undoesCleanly(world, act, needed, performed);
    } else await undoesCleanly(world, act, variables, performed);
  }
}

async function undoesCleanly(world: World, act: Act, variables: object, performed: Set<Act>): Promise<void> {
  const before = await world.state();
  if (!(await world.perform(0, act, variables, before))) return;
  performed.add(act);
  const after = await world.state();
  let last = world.done.at(-1)?.id ?? '';
  for (const expected of [before, after, before]) {
    const undone = await world.undo(0, last);
    if (undone?.conflicts.length !== 0 || undone.operationId === null) {
      throw new Error(`undo of ${act} ${JSON.stringify(variables)}: ${JSON.stringify(undone)}`);
    }
    requireSame(`undo of ${act} ${JSON.stringify(variables)}`, await world.state(), expected);
    last = undone.operationId;
  }
}

/** Undoes every visible operation, even the creation of the accounts. */
export async function undoEverything(world: World, numbers: readonly number[]): Promise<void> {
  const callers: (Client | undefined)[] = [...world.users];
  for (const [at, user] of world.users.entries()) {
    const spaceIds = [[user.id], world.spaceIds.slice(-1), undefined][at];
    callers.push(await makeProgram(world.service, user, spaceIds && { spaceIds }));
  }
  const rows = await world.service.sql<{ id: string }>('SELECT DISTINCT id FROM operations WHERE space_id = ANY ($1)', [
    world.spaceIds,
  ]);
  const at = (index: number) => numbers[index % numbers.length] ?? 0;
  const ordered = rows.map(({ id }, index) => ({ id, rank: (at(index) * 7919 + index * 104_729) % 9973 }));
  ordered.sort((one, other) => one.rank - other.rank);
  for (const [index, { id }] of ordered.entries()) {
    const caller = callers[(at(index) + index) % callers.length];
    if (caller) await world.undo(caller, id);
  }
}

/** @throws Error if an account cannot sign in, or an invariant is broken */
export async function requireWhole(world: World): Promise<void> {
  for (const user of world.users) {
    const { status } = await (await signInAgain(world.service, user)).get('/api/v2/projects/inbox');
    if (status !== 200) throw new Error(`the inbox gives ${status}`);
  }
  const broken = await brokenInvariants((statement) => world.service.sql(statement));
  if (broken.length > 0) throw new Error(broken.join('\n'));
}
