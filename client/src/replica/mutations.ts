import { defaults, type Mutations, type TagColor, type User } from './schema.ts';
import { indexes, keyOf } from './indexes.ts';
import type { Entity } from './entities.ts';
import { type IdPrefix, newId } from './ids.ts';
import { keyAtEnd, keyOfMove, keyOfSection } from './places.ts';
import { remove, type Table } from './tables.ts';
import { given, showCreatedTask, showMovedSection, showUpdatedTask } from './task-effects.ts';
import type { Source } from './view.ts';

export type { BulkUpdateTasksInput, CreateTaskInput, Mutations, UpdateTaskInput } from './schema.ts';

export type MutationName = keyof Mutations;

/** What is chosen here for the service to choose otherwise: without it what is shown could change under other changes. */
export interface Hints {
  readonly sortKey?: string | null;
  readonly inboxId?: string | null;
  readonly user?: User | null;
  readonly reminder?: boolean;
  /** What an undone mutation changed, as it is without it, by ids; null: it is not there. */
  readonly before?: readonly (readonly [string, Entity | null])[];
}

/** How a mutation is shown until a batch brings it. */
interface Mutation<Variables> {
  /** @returns the variables, with an id where something is made @param source what is shown now */
  readonly prepare?: (variables: Variables, source: Source) => { variables?: Variables; hints?: Hints };
  /** The history does not undo it. */
  readonly isForGood?: true;
  /** Shows it in the table; nothing where what it is about is not there. */
  readonly show: (table: Table, variables: Variables, hints: Hints, at: string) => void;
}

const withId = <Variables extends { readonly id?: string }>(variables: Variables, prefix: IdPrefix): Variables => ({
  id: newId(prefix),
  ...variables,
});

/** A new entity with the fields that are given. */
const showCreated = (table: Table, kind: keyof typeof defaults, fields: object) =>
  table.set({ ...defaults[kind], ...given(fields), __typename: kind } as Entity);

/** The entity with those fields changed that are given. */
function showUpdated(table: Table, { id, ...fields }: { readonly id: string }): void {
  const entity = table.get(id);
  if (entity) table.set({ ...entity, ...given(fields) });
}

const showRemoved = (table: Table, { id }: { readonly id: string }) => remove(table, id);

const showAllRemoved = (table: Table, { ids }: { readonly ids: readonly string[] }) =>
  ids.forEach((id) => remove(table, id));

/** What was there before a mutation that a batch has brought is known by the service alone. */
function showBefore(table: Table, _variables: object, { before = [] }: Hints): void {
  for (const [id, entity] of before) {
    if (entity) table.set(entity);
    else remove(table, id);
  }
}

const viewer = (source: Source) => source.list(keyOf(indexes.users, ''))[0] as User | undefined;
const inboxId = (source: Source) => source.list(keyOf(indexes.projects, ''))[0]?.id ?? null;

const tagColors: readonly TagColor[] = ['BLUE', 'RED', 'GREEN', 'YELLOW', 'PURPLE', 'ORANGE', 'PINK'];
const randomColor = () => tagColors[Math.floor(Math.random() * tagColors.length)] ?? 'BLUE';

/** All mutations, by their names. */
export const mutations: { readonly [Name in MutationName]: Mutation<Mutations[Name]> } = {
  createTask: {
    prepare: ({ input }, source) => {
      const parent = source.entity(input.parentId ?? '');
      const inbox = inboxId(source);
      const projectId = input.projectId ?? (parent?.__typename === 'Task' ? parent.projectId : inbox);
      const isDue = input.dueDate != null;
      return {
        variables: { input: withId(input, 'task') },
        hints: {
          inboxId: inbox,
          sortKey: keyAtEnd(source, keyOf(indexes.tasksByProject, projectId ?? '')),
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
    prepare: (variables, source) => ({ hints: { sortKey: keyOfMove(source, variables) } }),
    show: (table, { id }, { sortKey }) => showUpdated(table, { id, ...(sortKey != null && { sortKey }) }),
  },
  deleteTask: { show: showRemoved },
  deleteTasks: { show: showAllRemoved },
  createProject: {
    prepare: (variables) => ({ variables: withId(variables, 'proj') }),
    show: (table, project) => {
      if (project.workspaceId == null || table.get(project.workspaceId)) showCreated(table, 'Project', project);
    },
  },
  updateProject: { show: showUpdated },
  deleteProject: { show: showRemoved },
  createSection: {
    prepare: (variables, source) => ({
      variables: withId(variables, 'sect'),
      hints: { sortKey: keyAtEnd(source, keyOf(indexes.sectionsByProject, variables.projectId)) },
    }),
    show: (table, section, { sortKey }) => {
      if (table.get(section.projectId)) showCreated(table, 'Section', { ...section, sortKey: sortKey ?? '' });
    },
  },
  updateSection: {
    prepare: (variables, source) => ({ hints: { sortKey: keyOfSection(source, variables) } }),
    show: (table, { id, projectId, prevIndex: _prev, nextIndex: _next, ...fields }, { sortKey }) => {
      showUpdated(table, { id, ...fields, ...(sortKey != null && { sortKey }) });
      if (projectId != null) showMovedSection(table, id, projectId);
    },
  },
  deleteSection: { show: showRemoved },
  createTag: {
    prepare: (variables) => ({ variables: { color: randomColor(), ...withId(variables, 'tag') } }),
    show: (table, tag) => showCreated(table, 'Tag', { color: 'BLUE', ...tag }),
  },
  updateTag: { show: showUpdated },
  deleteTags: { show: showAllRemoved },
  createWorkspace: {
    isForGood: true,
    prepare: (variables, source) => ({
      variables: withId(variables, 'wksp'),
      hints: { user: viewer(source) ?? null },
    }),
    show: (table, workspace, { user }) => {
      const members = user ? [{ id: user.id, name: user.name, email: user.email, image: user.image }] : [];
      showCreated(table, 'Workspace', { ...workspace, members, invitations: [] });
    },
  },
  updateWorkspace: { show: showUpdated },
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

/** Whether the history undoes a mutation: not workspaces made, deleted or left, nor preferences. */
export const isUndoable = (name: MutationName): boolean => !mutations[name].isForGood;
