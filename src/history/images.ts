import { contentKinds, entities, kindOfType, type SyncedType, typeOf } from '../kernel/entities.ts';
import { fieldsOf, tables } from '../nested-read/model.ts';

export const typesInSpaces: readonly SyncedType[] = contentKinds.map(typeOf);

export const modelOf = (type: SyncedType) => entities[kindOfType(type)].model;
export const tableOf = (type: SyncedType) => tables[modelOf(type)];

/** Columns with history. */
export const columnsOf = (type: SyncedType): string[] =>
  type === 'WORKSPACE' ? ['id', 'name'] : [...fieldsOf(modelOf(type)).columns.values()].map(({ name }) => name);

export const referenceTo = (type: SyncedType) => `${type.toLowerCase()}_id`;

/** A row as JSON, by column. */
export type Values = Record<string, unknown>;

/** A row of `history`: see its migration. */
export interface HistoryRow {
  spaceId: string;
  type: SyncedType;
  kind: 'CREATED' | 'UPDATED' | 'DELETED';
  ids: string[];
  images: string[] | null;
  isMove: boolean;
  isHidden: boolean;
}

/** Change of one owner's tags on a task. */
export interface TagChange {
  owner: string;
  added: string[];
  removed: string[];
  /** All tags of the owner afterwards. */
  now: string[];
  /** Removed or restored with the task. */
  isHidden: boolean;
}

/** Change of an entity by an operation. */
export interface EntityImage {
  type: SyncedType;
  id: string;
  kind: 'CREATED' | 'UPDATED' | 'DELETED';
  /** Changed columns of an update, all columns of a deletion. */
  before: Values;
  after: Values;
  /** Moved from or to a space that the reader does not see. */
  isHalf: boolean;
  /** Created or restored, then deleted by the operation. Only a restore of that deletion uses the image. */
  isTransient: boolean;
  tags: TagChange[];
}

interface Folding {
  image: EntityImage;
  existed?: boolean;
  exists?: boolean;
  left?: Values;
  came?: Values;
}

/** Folds an operation's rows to one change per entity. */
export class ImageFolding {
  readonly #byId = new Map<string, Folding>();

  add(row: HistoryRow): void {
    row.ids.forEach((id, index) => {
      const folding = this.#byId.get(id) ?? { image: emptyImage(row.type, id) };
      this.#byId.set(id, folding);
      fold(folding, row, JSON.parse(row.images?.[index] ?? '{}') as Values);
    });
  }

  /** By the first row of each entity. */
  get images(): EntityImage[] {
    return [...this.#byId.values()].map(settle);
  }
}

export const lasting = (images: readonly EntityImage[]): EntityImage[] =>
  images.filter(({ isTransient }) => !isTransient);

/** Omits transient entities. */
export function foldImages(rows: readonly HistoryRow[]): EntityImage[] {
  const folding = new ImageFolding();
  for (const row of rows) folding.add(row);
  return lasting(folding.images);
}

const emptyImage = (type: SyncedType, id: string): EntityImage => ({
  type,
  id,
  kind: 'UPDATED',
  before: {},
  after: {},
  isHalf: false,
  isTransient: false,
  tags: [],
});

function fold(folding: Folding, { kind, isMove, isHidden, spaceId }: HistoryRow, image: Values): void {
  const { before, after, tags } = folding.image;
  if (isMove) {
    if (kind === 'DELETED') folding.left ??= image;
    else folding.came = image;
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
    if (kind === 'DELETED') folding.image.before = folding.existed ? { ...image, ...folding.left, ...before } : image;
  }
}

function settle({ image, existed, exists, left, came }: Folding): EntityImage {
  if (existed === false && exists === false) {
    const tags = image.tags.filter(({ isHidden }) => isHidden).map((change) => ({ ...change, added: [] }));
    return { ...image, kind: 'DELETED', after: {}, tags, isTransient: true };
  }
  if (existed === false) return { ...image, kind: 'CREATED', before: {}, after: {} };
  if (existed && !exists) return { ...image, kind: 'DELETED', after: {} };
  if (left && came) {
    const isChanged = (column: string) => column !== 'updated_at' && !isSame(column, left[column], came[column]);
    const changed = Object.keys(left).filter(isChanged);
    const pick = (values: Values) => Object.fromEntries(changed.map((column) => [column, values[column] ?? null]));
    const before = { ...pick(left), ...image.before };
    const after = { ...image.after, ...pick(came) };
    return { ...image, before, after };
  }
  if (left) return { ...image, kind: 'DELETED', before: { ...left, ...image.before }, after: {}, isHalf: true };
  if (came) return { ...image, kind: 'CREATED', before: {}, after: {}, isHalf: true };
  return image;
}

/** Whether an operation deleted and restored the entity: `before` has all columns, and later values are unknown. */
export const isMadeAnew = ({ kind, before }: EntityImage): boolean => kind === 'UPDATED' && 'id' in before;

/** Whether the image has more than tags that come and go with a task. */
export const isShown = ({ kind, before, isHalf, tags }: EntityImage): boolean =>
  kind !== 'UPDATED' || isHalf || Object.keys(before).length > 0 || tags.some(({ isHidden }) => !isHidden);

const isMoment = (column: string) => column === 'due_time' || column.endsWith('_at');

/** As GraphQL shows it. */
export const shownValue = (column: string, value: unknown): unknown =>
  isMoment(column) && typeof value === 'string' ? new Date(value).toISOString() : (value ?? null);

/** Times in different time zones may be equal. */
export const isSame = (column: string, one: unknown, other: unknown): boolean =>
  one === other || JSON.stringify(shownValue(column, one)) === JSON.stringify(shownValue(column, other));

/** Same rule as `field_of_column` in prisma/functions. */
export const fieldOf = (column: string): string =>
  column.replace(/_id$/, '').replace(/_(.)/g, (_match, letter: string) => letter.toUpperCase());

export interface FieldChange {
  name: string;
  before: unknown;
  after: unknown;
}

const unshown = new Set(['id', 'space_id', 'search', 'is_default']);

/** @param viewerId owner of the shown tags */
export function fieldChanges({ kind, before, after, tags }: EntityImage, viewerId: string): FieldChange[] {
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
