import type { Prisma } from '../generated/prisma/client.ts';

interface EntityDescription {
  prefix: string;
  /** Model of its rows, and the field with their space (`id`: the rows are spaces). */
  model?: Prisma.ModelName;
  space?: 'id' | 'spaceId';
  /** Present for the kinds that have a history. Replicas hold these kinds, and the user. */
  sync?: {
    /** Column that names the entity for people. */
    title: string;
    /** Field of a batch. */
    list: string;
    description: string;
    listDescription: string;
    /** Order of loading a space: unique, indexed. */
    order: readonly [...string[], 'id'];
    /** Relation to the space's rows, for its indexes. */
    through?: string;
  };
}

/**
 * Kinds of entities. Ids, `node`, `sync`, the export and the change log derive from them. A space is loaded in this
 * order: a kind follows the kinds that it refers to.
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
      listDescription: 'Workspaces that are new, changed (name, members), or became visible.',
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
      listDescription: 'Projects that are new, changed, or became visible.',
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
      listDescription: 'Sections that are new, changed, or became visible.',
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
      description: 'A tag of the caller.',
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
      listDescription: 'Tasks that are new, changed, or became visible.',
      order: ['sortKey', 'id'],
    },
  },
  Comment: {
    prefix: 'cmnt',
    model: 'Comment',
    space: 'spaceId',
    sync: {
      title: 'text',
      list: 'comments',
      description: 'A comment on a task.',
      listDescription:
        'Comments that are new, changed, or became visible. The author of a comment may have another name since.',
      order: ['id'],
    },
  },
  Invitation: { prefix: 'invt' },
  Session: { prefix: 'sess' },
  AccessToken: { prefix: 'tokn' },
  Application: { prefix: 'appl' },
  Passkey: { prefix: 'pkey' },
  Delivery: { prefix: 'dlvr' },
  Operation: { prefix: 'op' },
  Series: { prefix: 'seri' },
  Webhook: { prefix: 'hook' },
} as const satisfies Record<string, EntityDescription>;

type Entities = typeof entities;

export type EntityKind = keyof Entities;

type KindWith<Key extends string> = {
  [Kind in EntityKind]: Key extends keyof Entities[Kind] ? Kind : never;
}[EntityKind];

/** Kinds that members of a space can read by id. */
export type NodeKind = KindWith<'model'>;

export type SyncedKind = KindWith<'sync'>;

/** Kinds of entities that belong to a space. */
export type ContentKind = Exclude<SyncedKind, 'Workspace'>;

export type SyncedType = Uppercase<SyncedKind>;

export const entityKinds = Object.keys(entities) as EntityKind[];
export const nodeKinds = entityKinds.filter((kind): kind is NodeKind => 'model' in entities[kind]);
export const syncedKinds = entityKinds.filter((kind): kind is SyncedKind => 'sync' in entities[kind]);

export const contentKinds = syncedKinds.filter((kind): kind is ContentKind => entities[kind].space === 'spaceId');

export const typeOf = <Kind extends EntityKind>(kind: Kind) => kind.toUpperCase() as Uppercase<Kind>;

export const syncedTypes = syncedKinds.map(typeOf);

export const titleOf = (type: SyncedType): string => entities[kindOfType(type)].sync.title;

type KindOf<Type> = { [Kind in EntityKind]: Uppercase<Kind> extends Type ? Kind : never }[EntityKind];

export const kindOfType = <Type extends Uppercase<EntityKind>>(type: Type) =>
  entityKinds.find((kind) => typeOf(kind) === type) as KindOf<Type>;
