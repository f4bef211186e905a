import { models } from '../platform/models.ts';
import { contentKinds, entities, kindOfType, type SyncedType, typeOf } from '../platform/entities.ts';

export const typesInSpaces: readonly SyncedType[] = contentKinds.map(typeOf);

const modelOf = (type: SyncedType) => entities[kindOfType(type)].model;
export const tableOf = (type: SyncedType) => models[modelOf(type)].table;

export const columnsOf = (type: SyncedType): string[] =>
  type === 'WORKSPACE' ? ['id', 'name'] : [...models[modelOf(type)].columns.values()].map(({ name }) => name);

export const referenceTo = (type: SyncedType) => `${type.toLowerCase()}_id`;

/** A row as JSON, by column. */
export type Values = Record<string, unknown>;

/** A row of `history`: entities of a space that a statement changed. */
export interface HistoryRow {
  spaceId: string;
  type: SyncedType;
  kind: 'CREATED' | 'UPDATED' | 'DELETED';
  ids: string[];
  /** JSON for each id: all columns, or of an update the changed ones as [before, after]. Null for creations. */
  images: string[] | null;
  isMove: boolean;
  isHidden: boolean;
  /** Author of a comment. Null if the account was deleted. */
  authorId: string | null;
  /** Whether the change follows from the person's action. */
  isConsequence: boolean;
}

/** Change of one owner's tags on a task. */
interface TagChange {
  owner: string;
  added: string[];
  removed: string[];
  /** All tags of the owner after the change. */
  now: string[];
  /** Whether the tags were removed or restored with the task. */
  isHidden: boolean;
}

export interface EntityDiff {
  type: SyncedType;
  id: string;
  /** Space whose history has the change. */
  spaceId: string;
  /** Author of a comment. */
  authorId: string | null;
  kind: 'CREATED' | 'UPDATED' | 'DELETED';
  /** Changed columns of an update, all columns of a deletion. */
  before: Values;
  after: Values;
  /** Whether the entity moved from or to a space that the reader does not see. */
  isPartlyVisible: boolean;
  /** Whether the operation created or restored the entity, then deleted it. Only a restore then uses the diff. */
  isTransient: boolean;
  isConsequence: boolean;
  tags: TagChange[];
}

interface Folding {
  diff: EntityDiff;
  existed?: boolean;
  exists?: boolean;
  departure?: Values;
  arrival?: Values;
}

/** Folds the rows of an operation to one diff per entity. */
export class DiffFolding {
  readonly #byId = new Map<string, Folding>();

  add(row: HistoryRow): void {
    row.ids.forEach((id, index) => {
      const folding = this.#byId.get(id) ?? { diff: emptyDiff(row, id) };
      this.#byId.set(id, folding);
      folding.diff.isConsequence &&= row.isConsequence;
      fold(folding, row, JSON.parse(row.images?.[index] ?? '{}') as Values);
    });
  }

  /** Diffs in the order of the first row of each entity. */
  get diffs(): EntityDiff[] {
    return [...this.#byId.values()].map(settle);
  }
}

export const withoutTransient = (diffs: readonly EntityDiff[]): EntityDiff[] =>
  diffs.filter(({ isTransient }) => !isTransient);

/** Omits transient entities. */
export function foldDiffs(rows: readonly HistoryRow[]): EntityDiff[] {
  const folding = new DiffFolding();
  for (const row of rows) folding.add(row);
  return withoutTransient(folding.diffs);
}

const emptyDiff = ({ type, spaceId, authorId }: HistoryRow, id: string): EntityDiff => ({
  type,
  id,
  spaceId,
  authorId,
  kind: 'UPDATED',
  before: {},
  after: {},
  isPartlyVisible: false,
  isTransient: false,
  isConsequence: true,
  tags: [],
});

function fold(folding: Folding, { kind, isMove, isHidden, spaceId }: HistoryRow, image: Values): void {
  const { before, after, tags } = folding.diff;
  if (isMove) {
    if (kind === 'DELETED') folding.departure ??= image;
    else folding.arrival = image;
  } else if (kind === 'UPDATED') {
    const { tags: changed, ...columns } = image as { tags?: Partial<TagChange> } & Record<string, [unknown, unknown]>;
    if (changed) tags.push({ owner: spaceId, added: [], removed: [], now: [], isHidden, ...changed });
    for (const [column, [was, is]] of Object.entries(columns)) {
      if (!(column in before)) before[column] = was;
      after[column] = is;
    }
    if (Object.keys(columns).length > 0) folding.exists ??= true;
  } else {
    folding.existed ??= kind === 'DELETED';
    folding.exists = kind === 'CREATED';
    if (kind === 'DELETED')
      folding.diff.before = folding.existed ? { ...image, ...folding.departure, ...before } : image;
  }
}

function settle({ diff, existed, exists, departure, arrival }: Folding): EntityDiff {
  if (existed === false && exists === false) {
    const tags = diff.tags.filter(({ isHidden }) => isHidden).map((change) => ({ ...change, added: [] }));
    return { ...diff, kind: 'DELETED', after: {}, tags, isTransient: true };
  }
  if (existed === false) return { ...diff, kind: 'CREATED', before: {}, after: {} };
  if (existed && !exists) return { ...diff, kind: 'DELETED', after: {} };
  if (departure && arrival) {
    const isChanged = (column: string) =>
      column !== 'updated_at' && !isSame(column, departure[column], arrival[column]);
    const changed = Object.keys(departure).filter(isChanged);
    const pick = (values: Values) => Object.fromEntries(changed.map((column) => [column, values[column] ?? null]));
    const before = { ...pick(departure), ...diff.before };
    const after = { ...diff.after, ...pick(arrival) };
    return { ...diff, before, after };
  }
  if (departure)
    return { ...diff, kind: 'DELETED', before: { ...departure, ...diff.before }, after: {}, isPartlyVisible: true };
  if (arrival) return { ...diff, kind: 'CREATED', before: {}, after: {}, isPartlyVisible: true };
  return diff;
}

/** Whether the operation deleted and restored the entity. Then `before` has all columns, and `after` is not known. */
export const isRecreated = ({ kind, before }: EntityDiff): boolean => kind === 'UPDATED' && 'id' in before;

/** Whether the diff has more than tags that were removed or restored with their task. */
export const isShown = ({ kind, before, isPartlyVisible, tags }: EntityDiff): boolean =>
  kind !== 'UPDATED' || isPartlyVisible || Object.keys(before).length > 0 || tags.some(({ isHidden }) => !isHidden);

const isMoment = (column: string) => column === 'due_time' || column.endsWith('_at');

/** Returns a column's value as GraphQL shows it. */
const shownValue = (column: string, value: unknown): unknown =>
  isMoment(column) && typeof value === 'string' ? new Date(value).toISOString() : (value ?? null);

/** Compares values of a column. Times in different time zones may be equal. */
export const isSame = (column: string, one: unknown, other: unknown): boolean =>
  one === other || JSON.stringify(shownValue(column, one)) === JSON.stringify(shownValue(column, other));

export function without(ids: readonly string[], others: readonly string[]): string[] {
  const left = new Set(others);
  return ids.filter((id) => !left.has(id));
}

/** Returns the GraphQL field of a column, by the same rule as `field_of_column` in prisma/functions. */
export const fieldOf = (column: string): string =>
  column.replace(/_id(s?)$/, '$1').replace(/_(.)/g, (_match, letter: string) => letter.toUpperCase());

export interface FieldChange {
  name: string;
  before: unknown;
  after: unknown;
}

const unshown = new Set(['id', 'space_id', 'created_by_id', 'search', 'is_default']);

/** @param viewerId owner of the shown tags */
export function fieldChanges({ kind, before, after, tags }: EntityDiff, viewerId: string): FieldChange[] {
  const columns = Object.keys(before).filter((column) => !unshown.has(column));
  const fields = columns.map((column) => ({
    name: fieldOf(column),
    before: shownValue(column, before[column]),
    after: kind === 'DELETED' ? null : shownValue(column, after[column]),
  }));
  const own = tags.filter(({ owner }) => owner === viewerId);
  const last = own.at(-1);
  if (!last || kind === 'CREATED') return fields;
  const [added, now] = [new Set(own.flatMap((each) => each.added)), new Set(last.now)];
  const removed = own.flatMap((each) => each.removed).filter((id) => !now.has(id));
  const were = [...last.now.filter((id) => !added.has(id)), ...removed];
  return [...fields, { name: 'tags', before: were, after: kind === 'DELETED' ? null : last.now }];
}
