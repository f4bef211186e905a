import { builder } from '../graphql/builder.ts';
import { exposed } from '../graphql/fields.ts';
import { signedIn } from '../kernel/context.ts';
import { orNotFound } from '../kernel/errors.ts';
import { Node } from '../graphql/node.ts';
import { answering, findById } from '../nested-read/entities.ts';
import * as data from './data.ts';
import { taskFields } from './fields.ts';
import { BulkUpdateTasksInput, CreateTaskInput, UpdateTaskInput } from './schema-inputs.ts';
import * as rules from './rules.ts';

export const Task = builder.prismaObject('Task', {
  select: { id: true },
  interfaces: [Node],
  description: 'Something to be done. A task with a `parent` is a subtask.',
  fields: (t) => ({
    ...exposed(t, taskFields),
    parent: t.relation('parent', { nullable: true, description: 'The task that this one is a subtask of.' }),
    children: t.relation('children', {
      query: { orderBy: data.inOrder },
      description: 'Its subtasks, by sort key; nested to any depth in one statement.',
    }),
    project: t.relation('project', { description: 'The project that it belongs to, the inbox included.' }),
    section: t.relation('section', { nullable: true, description: 'The section of the project that it is in.' }),
  }),
});

builder.queryField('task', (t) =>
  t.prismaField({
    type: 'Task',
    nullable: true,
    description: 'The task with that id; null where there is none that the caller may see.',
    args: { id: t.arg.id({ required: true, description: 'Id of a task.' }) },
    resolve: (query, _root, { id }, context) => findById('Task', signedIn(context), id, query),
  }),
);

const UpdateTasksPayload = builder.objectRef<string[]>('UpdateTasksPayload').implement({
  description: 'What `updateTasks` has changed.',
  fields: (t) => ({
    count: t.int({
      description: 'Number of the listed tasks that there are, each once, whether a value differed or not.',
      resolve: (ids) => ids.length,
    }),
    tasks: t.prismaField({
      type: ['Task'],
      description: 'Those tasks as they are now, in the order of the ids.',
      resolve: (query, ids, _args, context) => rules.findTasksInOrder(signedIn(context), ids, query),
    }),
  }),
});

const DeleteTasksPayload = builder.objectRef<data.DeletedTasks>('DeleteTasksPayload').implement({
  description: 'What `deleteTasks` has deleted.',
  fields: (t) => ({
    count: t.exposeInt('count', { description: 'Number of the listed tasks that there were, each once.' }),
    deletedIds: t.exposeIDList('deletedIds', {
      description: 'Ids of those tasks and of all their subtasks, in no particular order.',
    }),
  }),
});

builder.mutationFields((t) => ({
  createTask: t.prismaField({
    type: 'Task',
    description: 'Creates a task as the last one of its project.',
    args: { input: t.arg({ type: CreateTaskInput, required: true, description: 'What it is to be.' }) },
    resolve: async (query, _root, { input }, context) => {
      const viewer = signedIn(context);
      const task = await rules.createTask(viewer, input);
      // Only what is related to a new task has to be read.
      const isOwn = (name: string) => Object.hasOwn(task, name);
      if (Object.keys(query.select ?? {}).every(isOwn)) return task;
      return orNotFound(await findById('Task', viewer, task.id, query), 'Task');
    },
  }),
  updateTask: t.prismaField({
    type: 'Task',
    description: 'Changes a task; with a new project, section or parent its subtasks move along.',
    args: {
      id: t.arg.id({ required: true, description: 'Id of the task.' }),
      input: t.arg({ type: UpdateTaskInput, required: true, description: 'What to change.' }),
    },
    resolve: answering('Task', (context, { id, input }) => rules.updateTask(signedIn(context), id, input)),
  }),
  moveTask: t.prismaField({
    type: 'Task',
    description: 'Moves a task next to a sibling; the service picks the sort key. At least one of the two is needed.',
    args: {
      id: t.arg.id({ required: true, description: 'Id of the task.' }),
      after: t.arg.id({ description: 'Id of the sibling to place it right after.' }),
      before: t.arg.id({ description: 'Id of the sibling to place it right before; `after` goes first.' }),
    },
    resolve: answering('Task', (context, { id, after, before }) =>
      rules.moveTask(signedIn(context), id, after ?? null, before ?? null),
    ),
  }),
  deleteTask: t.id({
    description: 'Deletes a task with its subtasks; gives its id.',
    args: { id: t.arg.id({ required: true, description: 'Id of the task.' }) },
    resolve: (_root, { id }, context) => rules.deleteTask(signedIn(context), id).then(() => id),
  }),
  updateTasks: t.field({
    type: UpdateTasksPayload,
    description: 'Changes many tasks alike; ids of none that the caller may see are passed over.',
    args: {
      ids: t.arg.idList({ required: true, description: 'Ids of tasks, at most 10,000; a duplicate counts once.' }),
      input: t.arg({ type: BulkUpdateTasksInput, required: true, description: 'What to change, at least one field.' }),
    },
    resolve: (_root, { ids, input }, context) => rules.updateManyTasks(signedIn(context), ids, input),
  }),
  deleteTasks: t.field({
    type: DeleteTasksPayload,
    description: 'Deletes many tasks with their subtasks; ids of none that the caller may see are passed over.',
    args: {
      ids: t.arg.idList({ required: true, description: 'Ids of tasks, at most 10,000; a duplicate counts once.' }),
    },
    resolve: (_root, { ids }, context) => rules.deleteManyTasks(signedIn(context), ids),
  }),
}));
