import type {
  BulkUpdateTasksInput,
  CreateTaskInput,
  Tag,
  TagColor,
  UpdatePreferencesInput,
  UpdateTaskInput,
  User,
  ViewMode,
  Workspace,
} from './schema.ts';
import { indexes, keyOf } from './indexes.ts';
import type { Entity } from './entities.ts';
import { type IdPrefix, newId } from './ids.ts';
import { keyAtEnd, keyOfMove, keyOfSection, type SectionMove } from './places.ts';
import { remove, type Table } from './tables.ts';
import { showCreatedTask, showMovedSection, showUpdatedTask } from './task-effects.ts';
import type { Source } from './view.ts';

export type { BulkUpdateTasksInput, CreateTaskInput, UpdateTaskInput } from './schema.ts';

/** The mutations that a replica makes, with the variables that the ones of the schema with their names have. */
export interface Mutations {
  createTask: { readonly input: CreateTaskInput };
  updateTask: { readonly id: string; readonly input: UpdateTaskInput };
  updateTasks: { readonly ids: readonly string[]; readonly input: BulkUpdateTasksInput };
  /** Next to a sibling. */
  moveTask: { readonly id: string; readonly after?: string | null; readonly before?: string | null };
  deleteTask: { readonly id: string };
  deleteTasks: { readonly ids: readonly string[] };
  createProject: { readonly id?: string; readonly name: string; readonly workspaceId?: string | null };
  updateProject: { readonly id: string; readonly name?: string; readonly viewMode?: ViewMode };
  deleteProject: { readonly id: string };
  createSection: { readonly id?: string; readonly projectId: string; readonly name: string };
  updateSection: SectionMove & { readonly name?: string };
  deleteSection: { readonly id: string };
  createTag: { readonly id?: string; readonly name: string; readonly color?: TagColor };
  updateTag: { readonly id: string; readonly name?: string; readonly color?: TagColor };
  deleteTags: { readonly ids: readonly string[] };
  createWorkspace: { readonly id?: string; readonly name: string };
  updateWorkspace: { readonly id: string; readonly name: string };
  deleteWorkspace: { readonly id: string };
  leaveWorkspace: { readonly id: string };
  updatePreferences: { readonly input: UpdatePreferencesInput };
  /** Of an operation, or of the caller's mutation with that key. What it does is shown when a batch brings it. */
  undo: { readonly operationId: string };
  /** Of entries of the trash; shown as that. */
  restore: { readonly ids: readonly string[] };
}

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

/** How a mutation is sent, and shown until a batch brings it. */
interface Mutation<Variables> {
  readonly document: string;
  /** @returns the variables, with an id where something is made @param source what is shown now */
  readonly prepare?: (variables: Variables, source: Source) => { variables?: Variables; hints?: Hints };
  /** The history does not undo it. */
  readonly isForGood?: true;
  /** Shows it in the table; nothing where what it is about is not there. */
  readonly show: (table: Table, variables: Variables, hints: Hints, at: string) => void;
}

/** A mutation with these variables, and with one field of what it answers. */
const operation = (name: MutationName, types: string, selection = ' { id }') => {
  const passed = [...types.matchAll(/\$(\w+)/g)].map(([, variable = '']) => `${variable}: $${variable}`);
  return `mutation ${name}(${types}) { ${name}(${passed.join(', ')})${selection} }`;
};

const withId = <Variables extends { readonly id?: string }>(variables: Variables, prefix: IdPrefix): Variables => ({
  id: newId(prefix),
  ...variables,
});

/** The entity with those fields changed that are given; absent and null keep theirs. */
function showUpdated(table: Table, { id, ...fields }: { readonly id: string }): void {
  const entity = table.get(id);
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null));
  if (entity) table.set({ ...entity, ...given });
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
    document: operation('createTask', '$input: CreateTaskInput!'),
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
    document: operation('updateTask', '$id: ID!, $input: UpdateTaskInput!'),
    prepare: (_variables, source) => ({ hints: { inboxId: inboxId(source) } }),
    show: (table, { id, input }, hints, at) => showUpdatedTask(table, id, input, hints, at),
  },
  updateTasks: {
    document: operation('updateTasks', '$ids: [ID!]!, $input: BulkUpdateTasksInput!', ' { count }'),
    prepare: (_variables, source) => ({ hints: { inboxId: inboxId(source) } }),
    show: (table, { ids, input }, hints, at) => ids.forEach((id) => showUpdatedTask(table, id, input, hints, at)),
  },
  moveTask: {
    document: operation('moveTask', '$id: ID!, $after: ID, $before: ID'),
    prepare: (variables, source) => ({ hints: { sortKey: keyOfMove(source, variables) } }),
    show: (table, { id }, { sortKey }) => showUpdated(table, { id, ...{ sortKey } }),
  },
  deleteTask: { document: operation('deleteTask', '$id: ID!', ''), show: showRemoved },
  deleteTasks: { document: operation('deleteTasks', '$ids: [ID!]!', ' { count }'), show: showAllRemoved },
  createProject: {
    document: operation('createProject', '$id: ID, $name: String!, $workspaceId: ID'),
    prepare: (variables) => ({ variables: withId(variables, 'proj') }),
    show: (table, { id = '', name, workspaceId = null }) => {
      if (workspaceId !== null && !table.get(workspaceId)) return;
      table.set({ __typename: 'Project', id, name, slug: null, isDefault: false, viewMode: null, workspaceId });
    },
  },
  updateProject: {
    document: operation('updateProject', '$id: ID!, $name: String, $viewMode: ViewMode'),
    show: showUpdated,
  },
  deleteProject: { document: operation('deleteProject', '$id: ID!', ''), show: showRemoved },
  createSection: {
    document: operation('createSection', '$id: ID, $projectId: ID!, $name: String!'),
    prepare: (variables, source) => ({
      variables: withId(variables, 'sect'),
      hints: { sortKey: keyAtEnd(source, keyOf(indexes.sectionsByProject, variables.projectId)) },
    }),
    show: (table, { id = '', name, projectId }, { sortKey }) => {
      if (table.get(projectId)) table.set({ __typename: 'Section', id, name, projectId, sortKey: sortKey ?? '' });
    },
  },
  updateSection: {
    document: operation(
      'updateSection',
      '$id: ID!, $name: String, $projectId: ID, $prevIndex: String, $nextIndex: String',
    ),
    prepare: (variables, source) => ({ hints: { sortKey: keyOfSection(source, variables) } }),
    show: (table, { id, name, projectId }, { sortKey }) => {
      showUpdated(table, { id, ...{ name, sortKey } });
      if (projectId != null) showMovedSection(table, id, projectId);
    },
  },
  deleteSection: { document: operation('deleteSection', '$id: ID!', ''), show: showRemoved },
  createTag: {
    document: operation('createTag', '$id: ID, $name: String!, $color: TagColor'),
    prepare: (variables) => ({ variables: { color: randomColor(), ...withId(variables, 'tag') } }),
    show: (table, { id = '', name, color = 'BLUE' }) => table.set({ __typename: 'Tag', id, name, color } satisfies Tag),
  },
  updateTag: { document: operation('updateTag', '$id: ID!, $name: String, $color: TagColor'), show: showUpdated },
  deleteTags: { document: operation('deleteTags', '$ids: [ID!]!', ' { count }'), show: showAllRemoved },
  createWorkspace: {
    document: operation('createWorkspace', '$id: ID, $name: String!'),
    isForGood: true,
    prepare: (variables, source) => ({
      variables: withId(variables, 'wksp'),
      hints: { user: viewer(source) ?? null },
    }),
    show: (table, { id = '', name }, { user }) => {
      const members = user ? [{ id: user.id, name: user.name, email: user.email, image: user.image }] : [];
      table.set({ __typename: 'Workspace', id, name, members } satisfies Workspace);
    },
  },
  updateWorkspace: { document: operation('updateWorkspace', '$id: ID!, $name: String!'), show: showUpdated },
  deleteWorkspace: { document: operation('deleteWorkspace', '$id: ID!', ''), isForGood: true, show: showRemoved },
  leaveWorkspace: { document: operation('leaveWorkspace', '$id: ID!', ''), isForGood: true, show: showRemoved },
  updatePreferences: {
    document: operation('updatePreferences', '$input: UpdatePreferencesInput!', ' { timeZone }'),
    isForGood: true,
    prepare: (_variables, source) => ({ hints: { user: viewer(source) ?? null } }),
    show: (table, { input }, { user }) => {
      const held = table.get(user?.id ?? '');
      if (held?.__typename === 'User') table.set({ ...held, preferences: { ...held.preferences, ...input } });
    },
  },
  undo: { document: operation('undo', '$operationId: ID!', ' { applied }'), show: showBefore },
  restore: { document: operation('restore', '$ids: [ID!]!', ' { applied }'), show: showBefore },
};

/** Whether the history undoes a mutation: not workspaces made, deleted or left, nor preferences. */
export const isUndoable = (name: MutationName): boolean => !mutations[name].isForGood;
