import { connectionOf } from '@taskgate/nested-read';
import { builder } from '../graphql/builder.ts';
import { countedConnectionType, type NestedSelection, toNodes } from '../graphql/page-type.ts';
import { toConnection } from '../platform/connection.ts';
import { type Context, signedIn } from '../platform/context.ts';
import { type ConnectionArguments, pageOf, positionFields, scansOf, taggedWith } from './connection.ts';
import { countsOf } from './list-data.ts';
import { cursorOf, type ListPosition } from './order.ts';
import * as rules from './rules.ts';
import { Task, TaskFilter } from './schema.ts';

const TaskOrder = builder.enumType('TaskOrder', {
  description:
    'Orders of a list of tasks, with their default directions. Tasks with equal values are ordered by id in the same direction. Tasks without a value come last in both directions. A sorted order takes longer with each task that matches the filter. The others read an index.',
  values: {
    SORT_KEY: { description: 'By sort key, bytewise. ASC.' },
    DUE_DATE: { description: 'By due date. ASC, soonest first. DESC is sorted.' },
    CREATED_AT: { description: 'By creation time. DESC, newest first.' },
    COMPLETED_AT: { description: 'By completion time. DESC, latest first. Sorted.' },
    UPDATED_AT: { description: 'By time of the last change. DESC, latest first. Sorted.' },
    PRIORITY: { description: 'By priority. DESC, from HIGH to LOW. Sorted.' },
    TITLE: { description: 'By title, alphabetically, ignoring case. ASC. Sorted.' },
  } as const,
});

const Direction = builder.enumType('Direction', {
  description: 'Direction of an order.',
  values: {
    ASC: { description: 'Ascending: the earliest time, the lowest priority and the start of the alphabet come first.' },
    DESC: { description: 'Descending: the greatest value comes first.' },
  } as const,
});

const TaskConnection = countedConnectionType<ListPosition>(Task, {
  name: 'Task',
  counted: 'Number of tasks that match the filter, on all pages.',
});

const pageArguments = builder.args((t) => ({
  filter: t.field({ type: TaskFilter, description: 'Filter. By default all tasks.' }),
  orderBy: t.field({ type: TaskOrder, description: 'Order. By default by sort key.' }),
  direction: t.field({ type: Direction, description: 'Direction. Each order has its default.' }),
  first: t.int({
    description: 'Returns the first n items (at most 500, 50 by default).',
  }),
  after: t.string({
    description: 'Returns the items after this cursor, which must have the same order and direction.',
  }),
  last: t.int({ description: 'Returns the last n items (at most 500).' }),
  before: t.string({
    description: 'Returns the items before this cursor, which must have the same order and direction.',
  }),
}));

builder.queryField('tasks', (t) =>
  t.field({
    type: TaskConnection,
    description: 'Tasks of all spaces of the caller, with subtasks.',
    args: {
      ...pageArguments,
      orderBy: t.arg({ type: TaskOrder, defaultValue: 'SORT_KEY', description: 'Order of the tasks.' }),
    },
    ...connectionOf(
      'Task',
      (args: ConnectionArguments, context, query, withCount) =>
        rules.listTasks(signedIn(context), args, context.pageSize, query, withCount),
      { scans: scansOf('space') },
    ),
  }),
);

/** Makes a list of an owner's tasks. One statement reads tasks with their owner; another counts them for all owners. */
const listOf = (owner: 'project' | 'section') =>
  ({
    type: TaskConnection,
    args: pageArguments,
    extensions: { scans: scansOf(owner) },
    select: (args: ConnectionArguments, context: Context, nestedSelection: NestedSelection) => {
      const page = pageOf(args, signedIn(context), context.pageSize);
      return { tasks: nestedSelection({ ...page.query, select: positionFields(page) }, toNodes('Task')) };
    },
    resolve: (parent: { id: string; tasks: ListPosition[] }, args: ConnectionArguments, context: Context) => {
      const page = pageOf(args, signedIn(context), context.pageSize);
      const count = () => countsOf(context, { model: 'Task', column: `${owner}Id` }, page.filter).load(parent.id);
      return toConnection(args, page, parent.tasks, (task) => cursorOf(page.order, task), count);
    },
  }) as const;

builder.prismaObjectField('Project', 'tasks', (t) =>
  t.field({ ...listOf('project'), description: 'Tasks of the project, with subtasks.' }),
);

builder.prismaObjectField('Section', 'tasks', (t) =>
  t.field({ ...listOf('section'), description: 'Tasks of the section, with subtasks.' }),
);

builder.prismaObjectField('Tag', 'tasks', (t) =>
  t.field({
    type: TaskConnection,
    description: 'Tasks with this tag, in all spaces of the caller. Every order is sorted.',
    args: pageArguments,
    extensions: { scans: scansOf('tag') },
    select: (args, context, nestedSelection: NestedSelection) => {
      const viewer = signedIn(context);
      const page = pageOf(args, viewer, context.pageSize);
      const task = nestedSelection({ select: positionFields(page) }, toNodes('Task'));
      return { taskTags: { ...taggedWith(viewer, page.query), select: { task } } };
    },
    resolve: ({ id, taskTags }, args, context) => {
      const viewer = signedIn(context);
      const page = pageOf(args, viewer, context.pageSize);
      const { where } = taggedWith(viewer, { ...page.query, where: page.filter });
      const count = () => countsOf(context, { model: 'TaskTag', column: 'tagId' }, where).load(id);
      return toConnection(
        args,
        page,
        taskTags.map(({ task }) => task),
        (task) => cursorOf(page.order, task),
        count,
      );
    },
  }),
);
