import fc from 'fast-check';
import { fieldOf } from '../../src/history/diffs.ts';
import type { Service } from '../kit/service.ts';
import { changedBetween, placeColumns, referencesOf, type Row, same, show, spaceOf, type State } from './states.ts';
import { type Conflict, type PerformedOperation, step, World } from './undo-world.ts';

export const choice = fc.record({ stepsBack: fc.oneof(fc.constant(0), fc.nat(9)), user: fc.nat(2) });

const linkedColumns = [
  ['completed', 'completed_at'],
  ['is_all_day', 'due_time', 'due_date'],
  placeColumns,
  ['name', 'slug'],
];

/** Undoes an operation, then the undo. @throws Error if a value is neither restored nor in a conflict */
export async function check(
  world: World,
  { stepsBack, user: chosenUser }: { stepsBack: number; user: number },
): Promise<void> {
  const operation = world.operations.at(-1 - (stepsBack % Math.max(world.operations.length, 1)));
  if (!operation) return;
  const user = stepsBack === 0 ? operation.actor : chosenUser;
  const beforeUndo = await world.state();
  const undone = await world.undo(user, operation.id);
  if (!undone) {
    if (stepsBack === 0 && !operation.isUndone && changedBetween(operation.before, operation.after).length > 0)
      throw new Error(`the newest operation, ${operation.name}, is not undone by its actor`);
    return;
  }
  operation.isUndone = true;
  const afterUndo = await world.state();
  requireRestored(world, user, operation, beforeUndo, afterUndo, undone.conflicts);
  const deletedByUndo = [...beforeUndo.keys()].filter((id) => !afterUndo.has(id) && operation.before.has(id));
  if (deletedByUndo.length > 0)
    throw new Error(`undo of ${operation.name} deleted ${show(beforeUndo, deletedByUndo)}, which was there before it`);
  const hasNoConflicts = undone.conflicts.length === 0;
  const mayReverse = canSeeAll(world, user, operation) && !hasCommentsOfOthers(world, user, operation);
  if (!hasNoConflicts && isUntouchedSince(operation, world.operations, beforeUndo) && mayReverse) {
    throw new Error(`nobody has touched what ${operation.name} did, but ${JSON.stringify(undone.conflicts)}`);
  }
  if (operation === world.operations.at(-1) && undone.conflicts.length === 0)
    requireEqualStates(`undo of ${operation.name}`, afterUndo, operation.before);
  if (undone.operationId === null) return;
  const redoResult = await world.undo(user, undone.operationId);
  if (redoResult?.conflicts.length !== 0)
    throw new Error(`undo of the undo of ${operation.name}: ${JSON.stringify(redoResult)}`);
  requireEqualStates(`undo of the undo of ${operation.name}`, await world.state(), beforeUndo);
}

function canSeeAll(world: World, user: number, { before, after }: PerformedOperation): boolean {
  return changedBetween(before, after).every((id) => {
    const rows = [before.get(id), after.get(id)].filter((row) => row !== undefined);
    const owners = rows.flatMap(({ tags }) => Object.values(tags));
    return rows.every((row) => world.canSee(user, row)) && owners.every((owner) => owner === world.users[user]?.id);
  });
}

/** Whether the operation changed a comment of another author alone, without its task. */
function hasCommentsOfOthers(world: World, user: number, { before, after }: PerformedOperation): boolean {
  const changed = changedBetween(before, after);
  return changed.some((id) => {
    const { type, values = {} } = after.get(id) ?? before.get(id) ?? {};
    return (
      type === 'comment' &&
      values['author_id'] !== world.users[user]?.id &&
      !changed.includes(String(values['task_id']))
    );
  });
}

export function requireEqualStates(description: string, is: State, was: State): void {
  const different = changedBetween(is, was);
  if (different.length > 0) throw new Error(`${description}: ${show(is, different)} was ${show(was, different)}`);
}

/**
 * Whether the entities and references of the operation are unchanged, nothing new refers to them, and no later operation
 * has changed the entities, even if another one has changed them back.
 */
function isUntouchedSince(
  operation: PerformedOperation,
  operations: readonly PerformedOperation[],
  beforeUndo: State,
): boolean {
  const { before, after } = operation;
  const changed = new Set(changedBetween(before, after));
  const later = operations.slice(operations.indexOf(operation) + 1);
  if (later.some((each) => changedBetween(each.before, each.after).some((id) => changed.has(id)))) return false;
  const related = new Set(
    [...changed].flatMap((id) => [id, ...referencesOf(before.get(id)), ...referencesOf(after.get(id))]),
  );
  return changedBetween(after, beforeUndo).every(
    (id) =>
      !related.has(id) &&
      ![...referencesOf(after.get(id)), ...referencesOf(beforeUndo.get(id))].some((each) => changed.has(each)),
  );
}

/** Each changed column is restored, or a conflict names it. */
function requireRestored(
  world: World,
  user: number,
  { name, before, after }: PerformedOperation,
  beforeUndo: State,
  afterUndo: State,
  conflicts: readonly Conflict[],
): void {
  for (const id of changedBetween(before, after)) {
    const [was, is] = [before.get(id), afterUndo.get(id)];
    const conflictsOfEntity = conflicts.filter((conflict) => conflict.id === id);
    const isHidden =
      conflicts.some((conflict) => conflict.id === null) &&
      ![before, after, beforeUndo].every((state) => !state.has(id) || world.canSee(user, state.get(id)));
    if (isHidden || conflictsOfEntity.some(({ field }) => field === null)) continue;
    if (!was !== !is && conflictsOfEntity.length === 0)
      throw new Error(
        `undo of ${name}: ${id} is ${is ? 'still there' : 'not back'}, and no conflict says so: ${JSON.stringify(conflicts)}`,
      );
    if (!was || !is) continue;
    const made = after.get(id);
    const task = afterUndo.get(String(is.values['task_id']));
    // A comment has no place of its own.
    const follows = (column: string) => column === 'space_id' && task !== undefined && spaceOf(is) === spaceOf(task);
    const columns = Object.keys(was.values).filter(
      (column) => !same(was.values[column], made?.values[column]) && !follows(column),
    );
    for (const column of columns.filter((each) => !isRestored(each, was.values, made?.values, is.values))) {
      const group = linkedColumns.find((each) => each.includes(column)) ?? [column];
      const isNamed = conflictsOfEntity.some(({ field }) => group.map(fieldOf).includes(field ?? ''));
      if (!isNamed)
        throw new Error(
          `undo of ${name}: ${column} of ${id} is ${String(is.values[column])}, was ${String(was.values[column])}, then ${String(made?.values[column])}, before the undo ${String(beforeUndo.get(id)?.values[column])}: ${JSON.stringify(conflicts)}`,
        );
    }
    requireTags(world, user, name, { was, made, is }, { afterUndo, conflicts });
  }
}

const assigneesOf = (values: Row['values'] | undefined) => (values?.['assignee_ids'] ?? []) as string[];

/** Assignees are restored by difference: whom a later operation added or removed, stays or stays away. */
function isRestored(column: string, was: Row['values'], made: Row['values'] | undefined, is: Row['values']): boolean {
  if (column !== 'assignee_ids') return same(was[column], is[column]);
  const [before, after, now] = [assigneesOf(was), assigneesOf(made), assigneesOf(is)] as const;
  return (
    before.every((id) => after.includes(id) || now.includes(id)) &&
    after.every((id) => before.includes(id) || !now.includes(id))
  );
}

function requireTags(
  world: World,
  user: number,
  name: string,
  { was, made, is }: { was: Row; made: Row | undefined; is: Row },
  { afterUndo, conflicts }: { afterUndo: State; conflicts: readonly Conflict[] },
): void {
  const isNamed = (id: string, field: string | null) =>
    conflicts.some((each) => each.id === id && each.field === field);
  const own = world.users[user]?.id;
  for (const [tag, owner] of Object.entries({ ...was.tags, ...made?.tags })) {
    if (tag in was.tags === (made !== undefined && tag in made.tags)) continue;
    const isOwnTag =
      owner === own ||
      (made === undefined && world.members.get(String(is.values['space_id']))?.includes(owner) === true);
    if (isOwnTag && afterUndo.has(tag) && tag in is.tags !== tag in was.tags) {
      throw new Error(`undo of ${name}: the tag ${tag} of ${is.id} is not as it was`);
    }
    const isLacking = owner === own && tag in was.tags && !(tag in is.tags);
    if (isLacking && !isNamed(is.id, 'tags') && !isNamed(tag, null))
      throw new Error(`undo of ${name}: ${is.id} lacks the tag ${tag}, and no conflict says so`);
  }
}

export const runRounds = (service: () => Service, { runs, steps }: { runs: number; steps: number }) =>
  fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: steps }),
      fc.array(choice, { minLength: 1, maxLength: 4 }),
      async (taken, choices) => {
        const world = await World.make(service());
        for (const each of taken) await world.runStep(each);
        for (const each of choices) await check(world, each);
      },
    ),
    // 1.5 seconds for each run.
    { numRuns: runs, includeErrorInReport: true, interruptAfterTimeLimit: Math.max(90_000, 1500 * runs) },
  );
