import type { Prisma } from '../generated/prisma/client.ts';

/** A kind of thing that has an id. */
interface EntityDescription {
  prefix: string;
  /** Model of its rows, and its field with the space that they are in: `id` where they are spaces. Members of the space see them. */
  model?: Prisma.ModelName;
  space?: 'id' | 'spaceId';
  /** How a replica gets it, and that it has a history; the user's own row is apart. */
  sync?: {
    /** The column by which people know it, in the trash and in summaries. */
    title: string;
    /** Field of a batch. */
    list: string;
    /** For the GraphQL schema: the kind, and that field. */
    description: string;
    listDescription: string;
    /** Unique and ascending: the order in which a space is loaded. By an index. */
    order: readonly [...string[], 'id'];
    /** The relation by which the rows of a space are found, where that is not their own field: its indexes are used. */
    through?: string;
  };
}

/**
 * All kinds of things that have an id, each described here: ids, `node`, batches of `sync`, the export and the change log's types
 * (the kind in upper case) go over it. Spaces are loaded in this order: what others refer to comes before them.
 */
export const entities = {
  User: { prefix: 'user', model: 'User', space: 'id' },
  Workspace: {
    prefix: 'wksp',
    model: 'Space',
    space: 'id',
    sync: {
      title: 'name',
      list: 'workspaces',
      description: 'A workspace with its members.',
      listDescription: 'Workspaces that are new, changed (name, members), or have come into sight.',
      order: ['id'],
    },
  },
  Project: {
    prefix: 'proj',
    model: 'Project',
    space: 'spaceId',
    sync: {
      title: 'name',
      list: 'projects',
      description: 'A project.',
      listDescription: 'Projects that are new, changed, or have come into sight.',
      order: ['id'],
    },
  },
  Section: {
    prefix: 'sect',
    model: 'Section',
    space: 'spaceId',
    sync: {
      title: 'name',
      list: 'sections',
      description: 'A section of a project.',
      listDescription: 'Sections that are new, changed, or have come into sight.',
      order: ['id'],
      through: 'project',
    },
  },
  Tag: {
    prefix: 'tag',
    model: 'Tag',
    space: 'spaceId',
    sync: {
      title: 'name',
      list: 'tags',
      description: "A tag of the caller's.",
      listDescription:
        "The caller's own tags that are new or changed. A renamed tag comes without the tasks that carry it.",
      order: ['id'],
    },
  },
  Task: {
    prefix: 'task',
    model: 'Task',
    space: 'spaceId',
    sync: {
      title: 'title',
      list: 'tasks',
      description: 'A task.',
      listDescription: 'Tasks that are new, changed, or have come into sight.',
      order: ['sortKey', 'id'],
    },
  },
  Invitation: { prefix: 'invt' },
  Session: { prefix: 'sess' },
  AccessToken: { prefix: 'tokn' },
  Passkey: { prefix: 'pkey' },
  Delivery: { prefix: 'dlvr' },
  Operation: { prefix: 'op' },
} as const satisfies Record<string, EntityDescription>;

type Entities = typeof entities;

export type EntityKind = keyof Entities;

type KindWith<Key extends string> = {
  [Kind in EntityKind]: Key extends keyof Entities[Kind] ? Kind : never;
}[EntityKind];

/** Kinds that are found by their ids alone, by the members of their spaces. */
export type NodeKind = KindWith<'model'>;

/** Kinds that a replica holds, except its user. */
export type SyncedKind = KindWith<'sync'>;

/** Those of what is in spaces. */
export type ContentKind = Exclude<SyncedKind, 'Workspace'>;

/** What they are called in the change log and the history. */
export type SyncedType = Uppercase<SyncedKind>;

export const entityKinds = Object.keys(entities) as EntityKind[];
export const nodeKinds = entityKinds.filter((kind): kind is NodeKind => 'model' in entities[kind]);
export const syncedKinds = entityKinds.filter((kind): kind is SyncedKind => 'sync' in entities[kind]);

/** Kinds of what is in spaces. */
export const contentKinds = syncedKinds.filter((kind): kind is ContentKind => entities[kind].space === 'spaceId');

/** What the change log and tombstones call a kind. */
export const typeOf = <Kind extends EntityKind>(kind: Kind) => kind.toUpperCase() as Uppercase<Kind>;

/** Types of what has a history, in an order in which what others refer to comes before them. */
export const syncedTypes = syncedKinds.map(typeOf);

/** The column by which people know something of a type. */
export const titleOf = (type: SyncedType): string => entities[kindOfType(type)].sync.title;

type KindOf<Type> = { [Kind in EntityKind]: Uppercase<Kind> extends Type ? Kind : never }[EntityKind];

/** The kind of a type: the inverse of {@link typeOf}. */
export const kindOfType = <Type extends Uppercase<EntityKind>>(type: Type) =>
  entityKinds.find((kind) => typeOf(kind) === type) as KindOf<Type>;
