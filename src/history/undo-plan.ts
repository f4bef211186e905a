import type { SyncedType } from '../platform/entities.ts';
import { type EntityDiff, fieldOf, isRecreated, isSame, type Values, without } from './diffs.ts';
import { placeColumns, PlacePlanner } from './place-planner.ts';
import { type Conflict, leaveDeleted, type Plan, type Present } from './plan.ts';
import type { UndoChange } from './undo-policy.ts';

const containerColumns = ['project_id', 'section_id', 'parent_id', 'task_id'];

/** Columns that are valid only together: an undo restores all or none. */
const groups = [
  ['completed', 'completed_at'],
  ['is_all_day', 'due_time'],
  placeColumns,
  ['name', 'slug'],
  ['text', 'edited_at'],
];

const groupsOf = (columns: readonly string[]): string[][] => {
  const grouped = groups.map((group) => columns.filter((column) => group.includes(column)));
  const single = columns.filter((column) => !groups.some((group) => group.includes(column))).map((column) => [column]);
  return [...grouped, ...single];
};

/**
 * Plans an undo. A field is restored if it still has the value that the operation gave it. Deleted entities come back,
 * and created ones are deleted. Everything else is a conflict.
 * @param diffs visible changes of the operation
 */
export function planUndo(diffs: readonly EntityDiff[], present: Present): Plan {
  const builtUpon = new Set(present.builtUpon);
  // Deleting a container would delete its contents. If some contents stay, their containers stay too.
  for (;;) {
    const plan = planOnce(diffs, { ...present, builtUpon });
    const held = holdersOf(plan, present.rows);
    if (held.length === 0) return plan;
    for (const id of held) builtUpon.add(id);
  }
}

/** Finds containers that the plan deletes, although an entity in them stays. */
function holdersOf({ inserts, updates, deletes }: Plan, rows: Present['rows']): string[] {
  if (deletes.size === 0) return [];
  const staying = [...new Map([...rows, ...updates, ...inserts])].filter(([id]) => !deletes.has(id));
  return staying.flatMap(([, row]) =>
    containerColumns.map((column) => String(row[column])).filter((container) => deletes.has(container)),
  );
}

function planOnce(diffs: readonly EntityDiff[], present: Present): Plan {
  const plan: Plan = {
    inserts: new Map(),
    updates: new Map(),
    deletes: new Set(),
    types: new Map(diffs.map(({ id, type }) => [id, type])),
    conflicts: [],
  };
  for (const diff of diffs) {
    const now = present.rows.get(diff.id);
    const refusal = present.refuse(changeOf(diff, now));
    if (refusal !== undefined && (!now || isWritable(present, now))) {
      plan.conflicts.push({ type: diff.type, id: diff.id, field: null, reason: refusal });
    } else if (diff.kind === 'CREATED') planDeletion(plan, present, diff, now);
    else if (diff.kind === 'DELETED') planReturn(plan, present, diff, now);
    else planRevert(plan, present, diff, now);
  }
  settleTagNames(plan, present);
  new PlacePlanner(plan, present, diffs).settle();
  return plan;
}

const actions = { CREATED: 'delete', DELETED: 'create', UPDATED: 'update' } as const;

export function changeOf(diff: EntityDiff, now: Values | undefined): UndoChange {
  const { type, id, kind, spaceId, authorId, before } = diff;
  const spaces = [spaceId, now?.['space_id'], before['space_id']].filter((space) => typeof space === 'string');
  return { action: actions[kind], type, id, spaceId, authorId, spaceIds: [...new Set(spaces)] };
}

function planDeletion(
  { deletes, conflicts }: Plan,
  present: Present,
  { type, id, isPartlyVisible }: EntityDiff,
  now?: Values,
) {
  if (isPartlyVisible)
    return void conflicts.push({ type, id, field: null, reason: 'came from a space that you cannot see' });
  if (!now) return;
  if (!isWritable(present, now)) return void conflicts.push(outOfSight(type));
  // The comments on a task that stays do, too.
  if (![id, String(now['task_id'])].some((each) => present.builtUpon.has(each))) return void deletes.add(id);
  conflicts.push({ type, id, field: null, reason: 'was edited or built upon', isLater: true });
}

function planReturn(
  { inserts, conflicts }: Plan,
  present: Present,
  { type, id, isPartlyVisible, before }: EntityDiff,
  now?: Values,
) {
  if (isPartlyVisible)
    return void conflicts.push({ type, id: null, field: null, reason: 'is in a space that you cannot see' });
  if (now) return isWritable(present, now) ? undefined : void conflicts.push(outOfSight(type));
  if (!present.restorable.has(id)) {
    const isSeen = present.deletedAgain.has(id);
    return void conflicts.push(
      isSeen ? { type, id, field: null, reason: 'was deleted again', isLater: true } : outOfSight(type),
    );
  }
  inserts.set(id, { ...before });
}

function planRevert({ updates, conflicts }: Plan, present: Present, diff: EntityDiff, now?: Values) {
  const { type, id, before, after, tags } = diff;
  const columns = Object.keys(before);
  if (columns.length === 0 && tags.every(({ isHidden }) => isHidden)) return;
  if (!now) return void conflicts.push({ type, id, field: null, reason: 'was deleted', isLater: true });
  if (!isWritable(present, now)) return void conflicts.push(outOfSight(type));
  if (isRecreated(diff)) {
    const isBack = columns.every((column) => isSame(column, now[column], before[column]));
    return isBack ? undefined : void conflicts.push({ type, id, field: null, reason: 'was deleted and made anew' });
  }
  const next = { ...now };
  if ('assignee_ids' in before) next['assignee_ids'] = formerAssignees(before, after, now);
  for (const group of groupsOf(columns.filter((column) => column !== 'assignee_ids'))) {
    if (group.every((column) => isSame(column, now[column], before[column]))) continue;
    const changed = group.filter((column) => !isSame(column, now[column], after[column]));
    if (changed.length === 0) for (const column of group) next[column] = before[column];
    else {
      const shown = group.filter((column) => column !== 'space_id').map(fieldOf);
      conflicts.push(
        ...shown.map((field) => ({ type, id, field, reason: 'was changed again', isLater: true }) as const),
      );
    }
  }
  const isElsewhere = 'project_id' in before && next['project_id'] !== before['project_id'];
  if (isElsewhere && 'sort_key' in before) next['sort_key'] = now['sort_key'];
  if (next['due_time'] != null && next['is_all_day'] !== false) {
    next['is_all_day'] = now['is_all_day'];
    next['due_time'] = now['due_time'];
    conflicts.push({ type, id, field: 'isAllDay', reason: 'has a time of day', isLater: true });
  }
  if (Object.keys(next).some((column) => !isSame(column, next[column], now[column]))) updates.set(id, next);
}

const assigneesOf = (row: Values) => row['assignee_ids'] as string[];

/** Later changes of others stay. */
function formerAssignees(before: Values, after: Values, now: Values): string[] {
  const [were, became, are] = [assigneesOf(before), assigneesOf(after), assigneesOf(now)];
  if (isSame('assignee_ids', are, became)) return were;
  return [...new Set([...without(are, without(became, were)), ...without(were, became)])];
}

/**
 * Removes planned names that another tag will have. A restored tag stays deleted, and a renamed one keeps its present
 * name.
 */
function settleTagNames(plan: Plan, { rows, tagNames }: Present): void {
  const { inserts, updates, deletes, types, conflicts } = plan;
  const nowOf = (id: string) => rows.get(id)?.['name'];
  const refuse = (id: string, row: Values) => {
    const reason = 'another tag has the name';
    if (leaveDeleted(plan, id, reason)) return;
    conflicts.push({ type: 'TAG', id, field: 'name', reason });
    row['name'] = nowOf(id);
    if (JSON.stringify(row) === JSON.stringify(rows.get(id))) updates.delete(id);
  };
  // A refusal may free or take a name. Each leaves one planned name less, so the loop ends.
  for (let isSettled = false; !isSettled;) {
    isSettled = true;
    const planned = [...updates, ...inserts].filter(([id]) => types.get(id) === 'TAG');
    const isKept = ([id, row]: [string, Values]) => row['name'] === nowOf(id);
    const taken = new Set(planned.filter(isKept).map(([, row]) => row['name']));
    for (const [id, row] of planned.filter((each) => !isKept(each))) {
      const holder = tagNames.get(String(row['name']));
      const isHeld = holder !== undefined && !deletes.has(holder) && !updates.has(holder);
      if (isHeld || taken.has(row['name'])) {
        refuse(id, row);
        isSettled = false;
        break;
      }
      taken.add(row['name']);
    }
  }
}

/** Whether the row is in a locked space of the caller. A workspace is its own space. */
const isWritable = ({ spaceIds }: Present, row: Values) => spaceIds.includes(String(row['space_id'] ?? row['id']));

const outOfSight = (type: SyncedType): Conflict => ({
  type,
  id: null,
  field: null,
  reason: 'is where you cannot see it',
});
