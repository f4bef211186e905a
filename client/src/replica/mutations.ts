import { referencesOf } from './entities.ts';
import type { Hints } from './hints.ts';
import { newId } from './ids.ts';
import { keyOf } from './indexes.ts';
import { keyAtEnd, keyOfSection, keysOfMove } from './move-keys.ts';
import { defaults, prefixes } from './schema.ts';
import { remove, type Table } from './tables.ts';
import { definedFields, showCreatedTask, showMovedSection, showUpdatedTask } from './task-effects.ts';
import type { Mutations } from './mutation-types.ts';
import type { Entity, TagColor, User } from './types.ts';
import type { Source } from './view.ts';

export type MutationName = keyof Mutations;

/** The optimistic effect of a mutation. */
interface Mutation<Variables> {
  /** Adds an id for a new entity. @param source displayed entities */
  readonly prepare?: (variables: Variables, source: Source) => { variables?: Variables; hints?: Hints };
  /** Whether the history cannot undo it. */
  readonly isForGood?: true;
  /** Does nothing if the target is missing. */
  readonly show: (table: Table, variables: Variables, hints: Hints, at: string) => void;
}

type Made = keyof typeof prefixes;

const withId = <Variables extends { readonly id?: string }>(variables: Variables, type: Made): Variables => ({
  id: newId(prefixes[type]),
  ...variables,
});

/** Undefined if a reference is missing. */
function showCreated(table: Table, type: Made, fields: object, at: string): void {
  const entity = {
    ...defaults[type],
    ...('createdAt' in defaults[type] && { createdAt: at }),
    ...definedFields(fields),
  };
  const created = { ...entity, __typename: type } as Entity;
  if (referencesOf(created).every((id) => table.get(id))) table.set(created);
}

function showUpdated(table: Table, { id, ...fields }: { readonly id: string; readonly sortKey?: string }): void {
  const entity = table.get(id);
  if (entity) table.set({ ...entity, ...definedFields(fields) });
}

const showRemoved = (table: Table, { id }: { readonly id: string }) => remove(table, id);

const showAllRemoved = (table: Table, { ids }: { readonly ids: readonly string[] }) =>
  ids.forEach((id) => remove(table, id));

/** Only the service knows the state before a confirmed mutation. */
function showBefore(table: Table, _variables: object, { before = [] }: Hints): void {
  for (const [id, entity] of before) {
    if (entity) table.set(entity);
    else remove(table, id);
  }
}

const viewer = (source: Source) => source.list(keyOf('User'))[0] as User | undefined;
const inboxId = (source: Source) => source.list(keyOf('Project'))[0]?.id ?? null;

const tagColors: readonly TagColor[] = ['BLUE', 'RED', 'GREEN', 'YELLOW', 'PURPLE', 'ORANGE', 'PINK'];
const randomColor = () => tagColors[Math.floor(Math.random() * tagColors.length)] ?? 'BLUE';

type All = { readonly [Name in MutationName]: Mutation<Mutations[Name]> };

type Plain = {
  [Name in MutationName]: Name extends `${'create' | 'update' | 'delete'}${Made}${'' | 's'}`
    ? 'input' extends keyof Mutations[Name]
      ? never
      : Name
    : never;
}[MutationName];

const plainOf = (type: Made): Record<string, Mutation<never>> => ({
  [`create${type}`]: {
    prepare: (variables: object) => ({ variables: withId(variables, type) as never }),
    show: (table, variables: object, _hints, at) => showCreated(table, type, variables, at),
  },
  [`update${type}`]: { show: showUpdated },
  [`delete${type}`]: { show: showRemoved },
  [`delete${type}s`]: { show: showAllRemoved },
});

/** Mutations with further effects. */
const own: Omit<All, Plain> & Partial<All> = {
  createTask: {
    prepare: ({ input }, source) => {
      const parent = source.entity(input.parentId ?? '');
      const inbox = inboxId(source);
      const projectId = input.projectId ?? (parent?.__typename === 'Task' ? parent.projectId : inbox);
      const isDue = input.dueDate != null;
      return {
        variables: { input: withId(input, 'Task') },
        hints: {
          inboxId: inbox,
          sortKey: keyAtEnd(source, keyOf('Task', 'projectId', projectId ?? '')),
          reminder: isDue && viewer(source)?.preferences.automaticRemainder === true,
        },
      };
    },
    show: (table, { input }, hints, at) => showCreatedTask(table, input, hints, at),
  },
  updateTask: {
    prepare: (_variables, source) => ({ hints: { inboxId: inboxId(source) } }),
    show: (table, { id, input }, hints, at) => showUpdatedTask(table, id, input, hints, at),
  },
  updateTasks: {
    prepare: (_variables, source) => ({ hints: { inboxId: inboxId(source) } }),
    show: (table, { ids, input }, hints, at) => ids.forEach((id) => showUpdatedTask(table, id, input, hints, at)),
  },
  moveTask: {
    prepare: (variables, source) => ({ hints: { sortKeys: keysOfMove(source, variables) } }),
    show: (table, _variables, { sortKeys = [] }) =>
      sortKeys.forEach(([id, sortKey]) => showUpdated(table, { id, sortKey })),
  },
  createSection: {
    prepare: (variables, source) => ({
      variables: withId(variables, 'Section'),
      hints: { sortKey: keyAtEnd(source, keyOf('Section', 'projectId', variables.projectId)) },
    }),
    show: (table, section, { sortKey }, at) =>
      showCreated(table, 'Section', { ...section, sortKey: sortKey ?? '' }, at),
  },
  updateSection: {
    prepare: (variables, source) => ({ hints: { sortKey: keyOfSection(source, variables) } }),
    show: (table, { id, projectId, prevIndex: _prev, nextIndex: _next, ...fields }, { sortKey }) => {
      showUpdated(table, { id, ...fields, ...(sortKey != null && { sortKey }) });
      if (projectId != null) showMovedSection(table, id, projectId);
    },
  },
  createTag: {
    prepare: (variables) => ({ variables: { color: randomColor(), ...withId(variables, 'Tag') } }),
    show: (table, tag, _hints, at) => showCreated(table, 'Tag', { color: 'BLUE', ...tag }, at),
  },
  createWorkspace: {
    isForGood: true,
    prepare: (variables, source) => ({
      variables: withId(variables, 'Workspace'),
      hints: { user: viewer(source) ?? null },
    }),
    show: (table, workspace, { user }, at) => {
      const members = user ? [{ id: user.id, name: user.name, email: user.email, image: user.image }] : [];
      showCreated(table, 'Workspace', { ...workspace, members, invitations: [] }, at);
    },
  },
  deleteWorkspace: { isForGood: true, show: showRemoved },
  leaveWorkspace: { isForGood: true, show: showRemoved },
  updatePreferences: {
    isForGood: true,
    prepare: (_variables, source) => ({ hints: { user: viewer(source) ?? null } }),
    show: (table, { input }, { user }) => {
      const held = table.get(user?.id ?? '');
      if (held?.__typename === 'User') table.set({ ...held, preferences: { ...held.preferences, ...input } });
    },
  },
  undo: { show: showBefore },
  restore: { show: showBefore },
};

export const mutations = Object.assign({}, ...Object.keys(prefixes).map((type) => plainOf(type as Made)), own) as All;

/** Creating, deleting and leaving workspaces, and preferences, cannot be undone. */
export const isUndoable = (name: MutationName): boolean => !mutations[name].isForGood;
