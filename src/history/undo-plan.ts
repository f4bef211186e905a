import type { SyncedType } from '../kernel/entities.ts';
import { type EntityImage, fieldOf, isMadeAnew, isSame, type Values } from './images.ts';
import { placeColumns, Places } from './places.ts';
import type { UndoChange } from './undo-policy.ts';

/** A difference that an undo leaves, with its reason. */
export interface Conflict {
  type: SyncedType;
  /** Null: out of the caller's sight. */
  id: string | null;
  field: string | null;
  reason: string;
  /** Whether another operation has changed it since: since when is said as well. */
  isLater?: true;
}

/** What there is at the moment of an undo, under its locks. */
export interface Present {
  /** Rows by id: what the operation changed, what that refers to, and what is below it. */
  rows: ReadonlyMap<string, Values>;
  /** Kinds of those rows. */
  types: ReadonlyMap<string, SyncedType>;
  /** Ids of the spaces that the caller may write to. */
  spaceIds: readonly string[];
  /** Project for what has lost its project, by space. */
  fallback: ReadonlyMap<string, string>;
  /** Ids of what the operation created and another one has built upon, or edited. */
  builtUpon: ReadonlySet<string>;
  /** Names of tags that the caller has, with their ids. */
  tagNames: ReadonlyMap<string, string>;
  /** Ids of the deleted entities that come back. */
  restorable: ReadonlySet<string>;
  /** Ids of the other deleted entities whose last deletion the caller sees. */
  deletedAgain: ReadonlySet<string>;
  /** Gives the reason if the caller may not make a change. */
  refuse: (change: UndoChange) => string | undefined;
}

/** What an undo writes: whole rows. */
export interface Plan {
  inserts: Map<string, Values>;
  updates: Map<string, Values>;
  deletes: Set<string>;
  types: Map<string, SyncedType>;
  conflicts: Conflict[];
}

/** Columns that hold only together: they go back together, or not at all. */
const groups = [['completed', 'completed_at'], ['is_all_day', 'due_time'], placeColumns, ['name', 'slug']];

const groupsOf = (columns: readonly string[]): string[][] => {
  const grouped = groups.map((group) => columns.filter((column) => group.includes(column)));
  const single = columns.filter((column) => !groups.some((group) => group.includes(column))).map((column) => [column]);
  return [...grouped.filter((group) => group.length > 0), ...single];
};

/**
 * Decides what undoes an operation: a field goes back where it still is what the operation made of it, what was deleted comes back,
 * what was created goes. All else is a conflict.
 * @param images what the operation did, as far as the caller may see it
 */
export function planUndo(images: readonly EntityImage[], present: Present): Plan {
  const plan: Plan = {
    inserts: new Map(),
    updates: new Map(),
    deletes: new Set(),
    types: new Map(images.map(({ id, type }) => [id, type])),
    conflicts: [],
  };
  for (const image of images) {
    const now = present.rows.get(image.id);
    const refusal = present.refuse(changeOf(image));
    if (refusal !== undefined && (!now || isWritable(present, now))) {
      plan.conflicts.push({ type: image.type, id: image.id, field: null, reason: refusal });
    } else if (image.kind === 'CREATED') planDeletion(plan, present, image, now);
    else if (image.kind === 'DELETED') planReturn(plan, present, image, now);
    else planRevert(plan, present, image, now);
  }
  new Places(plan, present, images).settle();
  return plan;
}

const actions = { CREATED: 'delete', DELETED: 'create', UPDATED: 'update' } as const;

/** The change that undoes an image. */
const changeOf = ({ type, id, kind }: EntityImage): UndoChange => ({ action: actions[kind], type, id });

function planDeletion({ deletes, conflicts }: Plan, present: Present, { type, id, isHalf }: EntityImage, now?: Values) {
  if (isHalf) return void conflicts.push({ type, id, field: null, reason: 'came from a space that you cannot see' });
  if (!now) return;
  if (!isWritable(present, now)) return void conflicts.push(outOfSight(type));
  if (!present.builtUpon.has(id)) return void deletes.add(id);
  conflicts.push({ type, id, field: null, reason: 'was edited or built upon', isLater: true });
}

function planReturn(
  { inserts, conflicts }: Plan,
  present: Present,
  { type, id, isHalf, before }: EntityImage,
  now?: Values,
) {
  if (isHalf) return void conflicts.push({ type, id: null, field: null, reason: 'is in a space that you cannot see' });
  if (now) return isWritable(present, now) ? undefined : void conflicts.push(outOfSight(type));
  if (!present.restorable.has(id)) {
    const isSeen = present.deletedAgain.has(id);
    return void conflicts.push(
      isSeen ? { type, id, field: null, reason: 'was deleted again', isLater: true } : outOfSight(type),
    );
  }
  const other = type === 'TAG' ? present.tagNames.get(String(before['name'])) : undefined;
  if (other !== undefined) return void conflicts.push({ type, id, field: 'name', reason: 'another tag has the name' });
  inserts.set(id, { ...before });
}

function planRevert({ updates, conflicts }: Plan, present: Present, image: EntityImage, now?: Values) {
  const { type, id, before, after, tags } = image;
  const columns = Object.keys(before);
  if (columns.length === 0 && tags.every(({ isHidden }) => isHidden)) return;
  if (!now) return void conflicts.push({ type, id, field: null, reason: 'was deleted', isLater: true });
  if (!isWritable(present, now)) return void conflicts.push(outOfSight(type));
  if (isMadeAnew(image)) {
    const isBack = columns.every((column) => isSame(column, now[column], before[column]));
    return isBack ? undefined : void conflicts.push({ type, id, field: null, reason: 'was deleted and made anew' });
  }
  const next = { ...now };
  for (const group of groupsOf(columns)) {
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
  if (next['due_time'] != null && next['is_all_day'] !== false && type === 'TASK') {
    next['is_all_day'] = now['is_all_day'];
    next['due_time'] = now['due_time'];
    conflicts.push({ type, id, field: 'isAllDay', reason: 'has a time of day', isLater: true });
  }
  const other = type === 'TAG' ? present.tagNames.get(String(next['name'])) : undefined;
  if (other !== undefined && other !== id) {
    next['name'] = now['name'];
    conflicts.push({ type, id, field: 'name', reason: 'another tag has the name' });
  }
  if (Object.keys(next).some((column) => !isSame(column, next[column], now[column]))) updates.set(id, next);
}

/** A row of the spaces that are locked, and the caller a member of. Workspaces are rows of themselves. */
const isWritable = ({ spaceIds }: Present, row: Values) => spaceIds.includes(String(row['space_id'] ?? row['id']));

const outOfSight = (type: SyncedType): Conflict => ({
  type,
  id: null,
  field: null,
  reason: 'is where you cannot see it',
});
