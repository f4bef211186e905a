import fc from 'fast-check';
import { fieldOf } from '../../src/history/diffs.ts';
import type { Service } from '../kit/service.ts';
import { changedBetween, placeColumns, referencesOf, type Row, same, show, type State } from './states.ts';
import { type Conflict, type Done, step, World } from './undo-world.ts';

export const choice = fc.record({ back: fc.oneof(fc.constant(0), fc.nat(9)), user: fc.nat(2) });

const together = [
  ['completed', 'completed_at'],
  ['is_all_day', 'due_time', 'due_date'],
  placeColumns,
  ['name', 'slug'],
];

/** Undoes an operation, then the undo. @throws Error if a value is neither restored nor in a conflict */
export async function check(world: World, { back, user: chosen }: { back: number; user: number }): Promise<void> {
  const done = world.done.at(-1 - (back % Math.max(world.done.length, 1)));
  if (!done) return;
  const user = back === 0 ? done.actor : chosen;
  const now = await world.state();
  const undone = await world.undo(user, done.id);
  if (!undone) {
    if (back === 0 && !done.isUndone && changedBetween(done.before, done.after).length > 0)
      throw new Error(`the newest operation, ${done.name}, is not undone by its actor`);
    return;
  }
  done.isUndone = true;
  const then = await world.state();
  requireNamed(world, user, done, now, then, undone.conflicts);
  const lost = [...now.keys()].filter((id) => !then.has(id) && done.before.has(id));
  if (lost.length > 0) throw new Error(`undo of ${done.name} deleted ${show(now, lost)}, which was there before it`);
  const isClean = undone.conflicts.length === 0;
  if (!isClean && isUntouched(done, now) && seesAll(world, user, done)) {
    throw new Error(`nobody has touched what ${done.name} did, but ${JSON.stringify(undone.conflicts)}`);
  }
  if (done === world.done.at(-1) && undone.conflicts.length === 0)
    requireSame(`undo of ${done.name}`, then, done.before);
  if (undone.operationId === null) return;
  const redone = await world.undo(user, undone.operationId);
  if (redone?.conflicts.length !== 0) throw new Error(`undo of the undo of ${done.name}: ${JSON.stringify(redone)}`);
  requireSame(`undo of the undo of ${done.name}`, await world.state(), now);
}

function seesAll(world: World, user: number, { before, after }: Done): boolean {
  return changedBetween(before, after).every((id) => {
    const rows = [before.get(id), after.get(id)].filter((row) => row !== undefined);
    const owners = rows.flatMap(({ tags }) => Object.values(tags));
    return rows.every((row) => world.sees(user, row)) && owners.every((owner) => owner === world.users[user]?.id);
  });
}

export function requireSame(what: string, is: State, was: State): void {
  const different = changedBetween(is, was);
  if (different.length > 0) throw new Error(`${what}: ${show(is, different)} was ${show(was, different)}`);
}

/** Whether the entities and references of the operation are unchanged, and nothing new refers to them. */
function isUntouched({ before, after }: Done, now: State): boolean {
  const changed = new Set(changedBetween(before, after));
  const related = new Set(
    [...changed].flatMap((id) => [id, ...referencesOf(before.get(id)), ...referencesOf(after.get(id))]),
  );
  return changedBetween(after, now).every(
    (id) =>
      !related.has(id) &&
      ![...referencesOf(after.get(id)), ...referencesOf(now.get(id))].some((each) => changed.has(each)),
  );
}

/** Each changed column is restored, or a conflict names it. */
function requireNamed(
  world: World,
  user: number,
  { name, before, after }: Done,
  now: State,
  then: State,
  conflicts: readonly Conflict[],
): void {
  for (const id of changedBetween(before, after)) {
    const [was, is] = [before.get(id), then.get(id)];
    const named = conflicts.filter((conflict) => conflict.id === id);
    const isHidden =
      conflicts.some((conflict) => conflict.id === null) &&
      ![before, after, now].every((state) => !state.has(id) || world.sees(user, state.get(id)));
    if (isHidden || named.some(({ field }) => field === null)) continue;
    if (!was !== !is)
      throw new Error(
        `undo of ${name}: ${id} is ${is ? 'still there' : 'not back'}, and no conflict says so: ${JSON.stringify(conflicts)}`,
      );
    if (!was || !is) continue;
    const made = after.get(id);
    const columns = Object.keys(was.values).filter((column) => !same(was.values[column], made?.values[column]));
    for (const column of columns.filter((each) => !same(was.values[each], is.values[each]))) {
      const group = together.find((each) => each.includes(column)) ?? [column];
      const isNamed = named.some(({ field }) => group.map(fieldOf).includes(field ?? ''));
      if (!isNamed)
        throw new Error(
          `undo of ${name}: ${column} of ${id} is ${String(is.values[column])}, was ${String(was.values[column])}, then ${String(made?.values[column])}, before the undo ${String(now.get(id)?.values[column])}: ${JSON.stringify(conflicts)}`,
        );
    }
    requireTags(world, user, name, { was, made, is }, then);
  }
}

function requireTags(
  world: World,
  user: number,
  name: string,
  { was, made, is }: { was: Row; made: Row | undefined; is: Row },
  then: State,
): void {
  const own = world.users[user]?.id;
  for (const [tag, owner] of Object.entries({ ...was.tags, ...made?.tags })) {
    if (tag in was.tags === (made !== undefined && tag in made.tags)) continue;
    const isOwners =
      owner === own ||
      (made === undefined && world.members.get(String(is.values['space_id']))?.includes(owner) === true);
    if (isOwners && then.has(tag) && tag in is.tags !== tag in was.tags) {
      throw new Error(`undo of ${name}: the tag ${tag} of ${is.id} is not as it was`);
    }
  }
}

export const roundsOf = (service: () => Service, { runs, steps }: { runs: number; steps: number }) =>
  fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: steps }),
      fc.array(choice, { minLength: 1, maxLength: 4 }),
      async (taken, choices) => {
        const world = await World.make(service());
        for (const each of taken) await world.act(each);
        for (const each of choices) await check(world, each);
      },
    ),
    // 1.5 seconds for each run.
    { numRuns: runs, includeErrorInReport: true, interruptAfterTimeLimit: Math.max(90_000, 1500 * runs) },
  );
