import type { Client } from '../kit/client.ts';
import { brokenInvariants } from '../kit/invariants.ts';
import { makeProgram } from '../kit/program.ts';
import { signInAgain } from '../kit/users.ts';
import type { UndoableMutation } from './acts.ts';
import { requireEqualStates } from './random-undo.ts';
import type { Step, World } from './undo-world.ts';

export const spaceKinds = ['personal', 'workspace'] as const;

/**
 * Performs every act in a space, and undoes the operation, the undo, and that undo. @param performedMutations acts that had an
 * effect: they are skipped, and new ones added @throws Error for a conflict or another state, because nobody else
 * changes anything
 */
export async function undoEachMutation(
  world: World,
  kind: (typeof spaceKinds)[number],
  numbers: Omit<Step, 'action' | 'user'>,
  performedMutations: Set<UndoableMutation>,
): Promise<void> {
  const spaceId = kind === 'personal' ? world.users[0]?.id : world.spaceIds.at(-1);
  const alreadyPerformed = new Set(performedMutations);
  const step = { ...numbers, user: 0 };
  const { length } = world.variations(step, await world.state(), spaceId);
  for (let index = 0; index < length; index += 1) {
    const before = await world.state();
    const { kind: mutation, variables } = world.variations(step, before, spaceId)[index] ?? {
      kind: 'undo',
      variables: {},
    };
    if (alreadyPerformed.has(mutation)) continue;
    if (mutation === 'skipOccurrence') {
      const input = { recurrence: { rule: 'FREQ=DAILY' } };
      await world.perform(0, 'updateTask', { ...variables, input }, before);
    }
    // A restore needs an entry of the trash, an undo an operation.
    if (mutation === 'restore' || mutation === 'undo') {
      const id = world.variations(step, before, spaceId).find((each) => each.kind === 'deleteTask')?.variables;
      await world.perform(0, 'deleteTask', id ?? {}, before);
      const requiredVariables =
        mutation === 'restore' ? { ids: Object.values(id ?? {}) } : { operationId: world.operations.at(-1)?.id };
      await undoesWithoutConflicts(world, mutation, requiredVariables, performedMutations);
    } else await undoesWithoutConflicts(world, mutation, variables, performedMutations);
  }
}

async function undoesWithoutConflicts(
  world: World,
  mutation: UndoableMutation,
  variables: object,
  performedMutations: Set<UndoableMutation>,
): Promise<void> {
  const before = await world.state();
  if (!(await world.perform(0, mutation, variables, before))) return;
  performedMutations.add(mutation);
  const after = await world.state();
  let last = world.operations.at(-1)?.id ?? '';
  for (const expected of [before, after, before]) {
    const result = await world.undo(0, last);
    if (result?.conflicts.length !== 0 || result.operationId === null) {
      throw new Error(`undo of ${mutation} ${JSON.stringify(variables)}: ${JSON.stringify(result)}`);
    }
    requireEqualStates(`undo of ${mutation} ${JSON.stringify(variables)}`, await world.state(), expected);
    last = result.operationId;
  }
}

/** Undoes every visible operation, even the creation of the accounts. */
export async function undoEverything(world: World, numbers: readonly number[]): Promise<void> {
  const callers: (Client | undefined)[] = [...world.users];
  for (const [index, user] of world.users.entries()) {
    const spaceIds = [[user.id], world.spaceIds.slice(-1), undefined][index];
    callers.push(await makeProgram(world.service, user, spaceIds && { spaceIds }));
  }
  const rows = await world.service.sql<{ id: string }>('SELECT DISTINCT id FROM operations WHERE space_id = ANY ($1)', [
    world.spaceIds,
  ]);
  const numberAt = (index: number) => numbers[index % numbers.length] ?? 0;
  const shuffledRows = rows.map(({ id }, index) => ({ id, rank: (numberAt(index) * 7919 + index * 104_729) % 9973 }));
  shuffledRows.sort((one, other) => one.rank - other.rank);
  for (const [index, { id }] of shuffledRows.entries()) {
    const caller = callers[(numberAt(index) + index) % callers.length];
    if (caller) await world.undo(caller, id);
  }
}

/** @throws Error if an account cannot sign in, or an invariant is broken */
export async function requireConsistent(world: World): Promise<void> {
  for (const user of world.users) {
    const { status } = await (await signInAgain(world.service, user)).get('/api/v2/projects/inbox');
    if (status !== 200) throw new Error(`the inbox gives ${status}`);
  }
  const broken = await brokenInvariants((statement) => world.service.sql(statement));
  if (broken.length > 0) throw new Error(broken.join('\n'));
}
