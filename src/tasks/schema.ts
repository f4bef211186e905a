import { resolvedFrom, resolvedFromColumn } from '@taskgate/nested-read';
import { builder } from '../graphql/builder.ts';
import { exposed } from '../graphql/fields.ts';
import { signedIn } from '../platform/context.ts';
import { Node } from '../graphql/node.ts';
import { Member } from '../graphql/shared-types.ts';
import { sortByIds } from '../platform/ids.ts';
import { answering, findById } from '../platform/visible-entities.ts';
import * as data from './data.ts';
import { Recurrence } from '../recurrence/schema.ts';
import type { Recurrence as StoredRecurrence } from '@taskgate/recurrence';
import { findTags } from '../tags/rules.ts';
import { taskFields } from './fields.ts';
import { maxSearchResults } from './input.ts';
import { BulkUpdateTasksInput, CreateTaskInput, UpdateTaskInput } from './schema-inputs.ts';
import * as rules from './rules.ts';

export { TaskFilter } from './schema-inputs.ts';

export const Task = builder.prismaObject('Task', {
  select: { id: true },
  interfaces: [Node],
  description: 'A task. With a `parent`, it is a subtask.',
  fields: (t) => ({
    ...exposed(t, taskFields),
    parent: t.relation('parent', { nullable: true, extensions: { isShared: true }, description: 'Parent task.' }),
    children: t.relation('children', {
      extensions: { listSize: 2 },
      query: { orderBy: data.bySortKey },
      description: 'Subtasks by sort key. One statement reads them to any depth.',
    }),
    project: t.relation('project', {
      extensions: { isShared: true },
      description: 'Project of the task, which may be the inbox.',
    }),
    recurrence: t.field({
      type: Recurrence,
      nullable: true,
      select: { recurrence: true },
      extensions: resolvedFromColumn('recurrence'),
      description: 'How the task repeats. Null: it does not.',
      resolve: ({ recurrence }) => recurrence as StoredRecurrence | null,
    }),
    assignees: t.field({
      type: [Member],
      description: 'Members who are to do the task, in the order of assignment. At most ten.',
      select: (_args, _context, nestedSelection) => ({ taskAssignees: { select: { user: nestedSelection(true) } } }),
      extensions: { listSize: 2, ...resolvedFrom('taskAssignees') },
      resolve: ({ taskAssignees }) => taskAssignees.map(({ user }) => user),
    }),
    section: t.relation('section', {
      nullable: true,
      extensions: { isShared: true },
      description: 'Section of the project.',
    }),
  }),
});

builder.queryField('task', (t) =>
  t.prismaField({
    type: 'Task',
    nullable: true,
    description: 'The task with this id. Null if the caller cannot see such a task.',
    args: { id: t.arg.id({ required: true, description: 'Id of a task.' }) },
    resolve: (query, _root, { id }, context) => findById('Task', signedIn(context), id, query),
  }),
);

export const SearchResult = builder.objectRef<ReturnType<typeof rules.search>>('SearchResult').implement({
  description: 'Result of a search.',
  fields: (t) => ({
    tasks: t.prismaField({
      type: ['Task'],
      description: 'Tasks, best first.',
      resolve: async (query, { findIds }, _args, context) =>
        rules.findTasksByIds(signedIn(context), (await findIds()).taskIds, query),
    }),
    tags: t.prismaField({
      type: ['Tag'],
      description: 'Tags, best first.',
      resolve: async (query, { findIds }, _args, context) => {
        const { tagIds } = await findIds();
        return sortByIds(tagIds, await findTags(signedIn(context), { ids: tagIds }, query));
      },
    }),
  }),
});

builder.queryField('search', (t) =>
  t.field({
    type: SearchResult,
    extensions: { cost: 5_000 },
    description: 'Searches titles, descriptions and tag names. Tolerates typos.',
    args: {
      query: t.arg.string({ required: true, description: 'Words or their beginnings. Not blank.' }),
      first: t.arg.int({ defaultValue: 50, description: 'Returns the first n of each kind (at most 50).' }),
    },
    resolve: (_root, { query, first }, context) => rules.search(signedIn(context), query, first ?? maxSearchResults),
  }),
);

const UpdateTasksPayload = builder.objectRef<string[]>('UpdateTasksPayload').implement({
  description: 'Result of `updateTasks`.',
  fields: (t) => ({
    count: t.int({
      description: 'Number of existing tasks in the list, each counted once, even if no value differed.',
      resolve: (ids) => ids.length,
    }),
    tasks: t.prismaField({
      type: ['Task'],
      extensions: { listSize: 10 },
      description: 'These tasks after the change, in the order of the ids.',
      resolve: (query, ids, _args, context) => rules.findTasksByIds(signedIn(context), ids, query),
    }),
  }),
});

const DeleteTasksPayload = builder.objectRef<data.DeletedTasks>('DeleteTasksPayload').implement({
  description: 'Result of `deleteTasks`.',
  fields: (t) => ({
    count: t.exposeInt('count', { description: 'Number of deleted tasks in the list, each counted once.' }),
    deletedIds: t.exposeIDList('deletedIds', {
      extensions: { listSize: 10 },
      description: 'Ids of these tasks and their subtasks, in no particular order.',
    }),
  }),
});

builder.mutationFields((t) => ({
  createTask: t.prismaField({
    type: 'Task',
    description: 'Creates a task as the last one of its project.',
    args: { input: t.arg({ type: CreateTaskInput, required: true, description: 'Fields of the new task.' }) },
    resolve: answering('Task', (context, { input }) => rules.createTask(signedIn(context), input)),
  }),
  updateTask: t.prismaField({
    type: 'Task',
    description: 'Changes a task. Its subtasks move with it to a new project, section or parent.',
    args: {
      id: t.arg.id({ required: true, description: 'Id of the task.' }),
      input: t.arg({ type: UpdateTaskInput, required: true, description: 'Changes to the task.' }),
    },
    resolve: answering('Task', (context, { id, input }) => rules.updateTask(signedIn(context), id, input)),
  }),
  moveTask: t.prismaField({
    type: 'Task',
    description: 'Moves a task next to a sibling, and picks its sort key. Requires `after` or `before`.',
    args: {
      id: t.arg.id({ required: true, description: 'Id of the task.' }),
      after: t.arg.id({ description: 'Id of the sibling directly before the new place.' }),
      before: t.arg.id({ description: 'Id of the sibling directly after the new place. `after` takes precedence.' }),
    },
    resolve: answering('Task', (context, { id, after, before }) =>
      rules.moveTask(signedIn(context), id, after ?? null, before ?? null),
    ),
  }),
  skipOccurrence: t.prismaField({
    type: 'Task',
    description:
      'Moves an open occurrence, with its subtasks, to the next date of its series. Refused if there is no later date.',
    args: { id: t.arg.id({ required: true, description: 'Id of the task.' }) },
    resolve: answering('Task', (context, { id }) => rules.skipOccurrence(signedIn(context), id)),
  }),
  deleteTask: t.id({
    description: 'Deletes a task with its subtasks, and returns its id.',
    args: { id: t.arg.id({ required: true, description: 'Id of the task.' }) },
    resolve: (_root, { id }, context) => rules.deleteTask(signedIn(context), id).then(() => id),
  }),
  updateTasks: t.field({
    type: UpdateTasksPayload,
    description: 'Makes the same changes to many tasks. Skips ids of tasks that the caller cannot see.',
    args: {
      ids: t.arg.idList({ required: true, description: 'Ids of tasks, at most 10,000. Duplicates count once.' }),
      input: t.arg({
        type: BulkUpdateTasksInput,
        required: true,
        description: 'Changes to the tasks, at least one field.',
      }),
    },
    resolve: (_root, { ids, input }, context) => rules.updateManyTasks(signedIn(context), ids, input),
  }),
  deleteTasks: t.field({
    type: DeleteTasksPayload,
    description: 'Deletes many tasks with their subtasks. Skips ids of tasks that the caller cannot see.',
    args: {
      ids: t.arg.idList({ required: true, description: 'Ids of tasks, at most 10,000. Duplicates count once.' }),
    },
    resolve: (_root, { ids }, context) => rules.deleteManyTasks(signedIn(context), ids),
  }),
}));
