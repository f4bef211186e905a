import { referencesOf } from './entities.ts';
import type { Hints } from './hints.ts';
import { newId } from './ids.ts';
import { listKey } from './indexes.ts';
import { keyAtEnd, keyOfSection, keysOfMove } from './move-keys.ts';
import { applySkip, prepareCompletion } from './occurrences.ts';
import { defaults, prefixes } from './schema.ts';
import { remove, type Table, taskOf } from './tables.ts';
import { applyCreateTask, applyMoveSection, applyUpdateTasks, definedFields, isWithin } from './task-effects.ts';
import type { Mutations, UpdateTaskInput } from './mutation-types.ts';
import type { Entity, TagColor, User } from './types.ts';
import type { Source } from './view.ts';

export type MutationName = keyof Mutations;

/** The optimistic effect of a mutation. */
interface Mutation<Variables> {
  /** Adds the id of a new entity, and chooses the hints. @param source displayed entities */
  readonly prepare?: (variables: Variables, source: Source) => { variables?: Variables; hints?: Hints };
  /** Whether the history cannot undo it. */
  readonly isPermanent?: true;
  /** Does nothing if the target is missing. */
  readonly apply: (table: Table, variables: Variables, hints: Hints, at: string) => void;
}

type Creatable = keyof typeof prefixes;

const withId = <Variables extends { readonly id?: string }>(variables: Variables, type: Creatable): Variables => ({
  id: newId(prefixes[type]),
  ...variables,
});

/** Does nothing if a reference is missing. */
function applyCreate(table: Table, type: Creatable, fields: object, at: string): void {
  const entity = {
    ...defaults[type],
    ...('createdAt' in defaults[type] && { createdAt: at }),
    ...definedFields(fields),
  };
  const created = { ...entity, __typename: type } as Entity;
  if (referencesOf(created).every((id) => table.get(id))) table.set(created);
}

function applyUpdate(table: Table, { id, ...fields }: { readonly id: string; readonly sortKey?: string }): void {
  const entity = table.get(id);
  if (entity) table.set({ ...entity, ...definedFields(fields) });
}

const applyDelete = (table: Table, { id }: { readonly id: string }) => remove(table, id);

const applyDeleteAll = (table: Table, { ids }: { readonly ids: readonly string[] }) =>
  ids.forEach((id) => remove(table, id));

/**
 * Shows the state before the undone mutation, but claims as they are. Without hints it shows nothing: only the service knows that state. A
 * task whose former parent is below it by now stays as it is, as in the service.
 */
function applyEarlierState(table: Table, _variables: object, { before = [] }: Hints): void {
  for (const [id, entity] of before) {
    if (entity && 'parentId' in entity && isWithin(table, entity.parentId, id)) continue;
    if (entity) table.set('claim' in entity ? { ...entity, claim: taskOf(table, id)?.claim ?? null } : entity);
    else remove(table, id);
  }
}

const viewer = (source: Source) => source.list(listKey('User'))[0] as User | undefined;
const memberOf = ({ id, name, email, image }: User) => ({ id, name, email, image });
const zoneHint = (source: Source) => ({ timeZone: viewer(source)?.preferences.timeZone });
const inboxId = (source: Source) => source.list(listKey('Project'))[0]?.id ?? null;

function prepareUpdate<Variables extends { readonly input: UpdateTaskInput }>(
  variables: Variables,
  ids: readonly string[],
  source: Source,
) {
  const { input } = variables;
  const { timeZone } = zoneHint(source);
  const { completedOn, sortKeys } = input.completed ? prepareCompletion(source, ids, input, timeZone) : {};
  return {
    variables: { ...variables, input: { ...(completedOn && { completedOn }), ...input } },
    hints: { inboxId: inboxId(source), ...(sortKeys && { sortKeys }), ...(input.recurrence && { timeZone }) },
  };
}

const tagColors: readonly TagColor[] = ['BLUE', 'RED', 'GREEN', 'YELLOW', 'PURPLE', 'ORANGE', 'PINK'];
const randomColor = () => tagColors[Math.floor(Math.random() * tagColors.length)] ?? 'BLUE';

type AllMutations = { readonly [Name in MutationName]: Mutation<Mutations[Name]> };

type StandardMutation = {
  [Name in MutationName]: Name extends `${'create' | 'update' | 'delete'}${Creatable}${'' | 's'}`
    ? 'input' extends keyof Mutations[Name]
      ? never
      : Name
    : never;
}[MutationName];

const standardMutations = (type: Creatable): Record<string, Mutation<never>> => ({
  [`create${type}`]: {
    prepare: (variables: object) => ({ variables: withId(variables, type) as never }),
    apply: (table, variables: object, _hints, at) => applyCreate(table, type, variables, at),
  },
  [`update${type}`]: { apply: applyUpdate },
  [`delete${type}`]: { apply: applyDelete },
  [`delete${type}s`]: { apply: applyDeleteAll },
});

/** Mutations with further effects. */
const customMutations: Omit<AllMutations, StandardMutation> & Partial<AllMutations> = {
  createTask: {
    prepare: ({ input }, source) => {
      const parent = source.entity(input.parentId ?? '');
      const inbox = inboxId(source);
      const projectId = input.projectId ?? (parent?.__typename === 'Task' ? parent.projectId : inbox);
      // A recurrence gives a task a due date.
      const isDue = input.dueDate != null || input.recurrence != null;
      return {
        variables: { input: withId(input, 'Task') },
        hints: {
          inboxId: inbox,
          sortKey: keyAtEnd(source, listKey('Task', 'projectId', projectId ?? '')),
          reminder: isDue && viewer(source)?.preferences.automaticRemainder === true,
          createdById: viewer(source)?.id ?? null,
          ...(input.recurrence && zoneHint(source)),
        },
      };
    },
    apply: (table, { input }, hints, at) => applyCreateTask(table, input, hints, at),
  },
  updateTask: {
    prepare: (variables, source) => prepareUpdate(variables, [variables.id], source),
    apply: (table, { id, input }, hints, at) => applyUpdateTasks(table, [id], input, hints, at),
  },
  updateTasks: {
    prepare: (variables, source) => prepareUpdate(variables, variables.ids, source),
    apply: (table, { ids, input }, hints, at) => applyUpdateTasks(table, ids, input, hints, at),
  },
  skipOccurrence: { apply: (table, { id }, _hints, at) => applySkip(table, id, at) },
  moveTask: {
    prepare: (variables, source) => ({ hints: { sortKeys: keysOfMove(source, variables) } }),
    apply: (table, _variables, { sortKeys = [] }, at) =>
      sortKeys.forEach(([id, sortKey]) => applyUpdateTasks(table, [id], { sortKey }, {}, at)),
  },
  createSection: {
    prepare: (variables, source) => ({
      variables: withId(variables, 'Section'),
      hints: { sortKey: keyAtEnd(source, listKey('Section', 'projectId', variables.projectId)) },
    }),
    apply: (table, section, { sortKey }, at) =>
      applyCreate(table, 'Section', { ...section, sortKey: sortKey ?? '' }, at),
  },
  updateSection: {
    prepare: (variables, source) => ({ hints: { sortKey: keyOfSection(source, variables) } }),
    apply: (table, { id, projectId, prevIndex: _prev, nextIndex: _next, ...fields }, { sortKey }) => {
      applyUpdate(table, { id, ...fields, ...(sortKey != null && { sortKey }) });
      if (projectId != null) applyMoveSection(table, id, projectId);
    },
  },
  createTag: {
    prepare: (variables) => ({ variables: { color: randomColor(), ...withId(variables, 'Tag') } }),
    apply: (table, tag, _hints, at) => applyCreate(table, 'Tag', { color: 'BLUE', ...tag }, at),
  },
  createWorkspace: {
    isPermanent: true,
    prepare: (variables, source) => ({
      variables: withId(variables, 'Workspace'),
      hints: { user: viewer(source) ?? null },
    }),
    apply: (table, workspace, { user }, at) => {
      const members = user ? [memberOf(user)] : [];
      const memberships = members.map((member) => ({ member, role: 'ADMIN' }));
      applyCreate(table, 'Workspace', { ...workspace, role: 'ADMIN', members, memberships, invitations: [] }, at);
    },
  },
  createComment: {
    prepare: (variables, source) => ({
      variables: withId(variables, 'Comment'),
      hints: { user: viewer(source) ?? null },
    }),
    apply: (table, comment, { user }, at) => {
      const author = user ? { authorId: user.id, author: memberOf(user) } : {};
      applyCreate(table, 'Comment', { ...comment, text: comment.text.trim(), ...author }, at);
    },
  },
  updateComment: {
    apply: (table, { id, text }, _hints, at) => {
      const comment = table.get(id);
      if (comment?.__typename !== 'Comment' || comment.text === text.trim()) return;
      table.set({ ...comment, text: text.trim(), editedAt: at });
    },
  },
  deleteWorkspace: { isPermanent: true, apply: applyDelete },
  leaveWorkspace: { isPermanent: true, apply: applyDelete },
  updatePreferences: {
    isPermanent: true,
    prepare: (_variables, source) => ({ hints: { user: viewer(source) ?? null } }),
    apply: (table, { input }, { user }) => {
      const current = table.get(user?.id ?? '');
      if (current?.__typename === 'User') table.set({ ...current, preferences: { ...current.preferences, ...input } });
    },
  },
  undo: { apply: applyEarlierState },
  restore: { apply: applyEarlierState },
};

export const mutations = Object.assign(
  {},
  ...Object.keys(prefixes).map((type) => standardMutations(type as Creatable)),
  customMutations,
) as AllMutations;

/** The history cannot undo changes of preferences, and the creation, deletion and leaving of workspaces. */
export const isUndoable = (name: MutationName): boolean => !mutations[name].isPermanent;
