import type { IndirectInclude } from '@pothos/plugin-prisma';
import { PageInfo } from '../graphql/shared-types.ts';
import { builder } from '../graphql/builder.ts';
import { enumRef } from '../graphql/fields.ts';
import { type Context, signedIn } from '../kernel/context.ts';
import { sortByIds } from '../kernel/ids.ts';
import { connectionOf, nodePaths } from '../nested-read/compiled-query.ts';
import { findTags } from '../tags/rules.ts';
import { priority } from './fields.ts';
import { type ConnectionArguments, pageOf, positionFields, scansOf, taggedWith, toConnection } from './connection.ts';
import { maxFound } from './input.ts';
import { countsOf } from './list-data.ts';
import type { ListPosition } from './order.ts';
import * as rules from './rules.ts';
import { Task } from './schema.ts';

const TaskFilter = builder.inputType('TaskFilter', {
  description: 'Conditions that all have to hold.',
  fields: (t) => ({
    completed: t.boolean({ description: 'Only those that are done, or only open ones.' }),
    tagIds: t.idList({ description: "At least one of these tags of the caller's; at most 1,000 ids." }),
    projectId: t.id({ description: 'In this project.' }),
    projectIds: t.idList({ description: 'In one of these projects; at most 1,000 ids.' }),
    sectionId: t.id({ description: 'In this section.' }),
    parentId: t.id({ description: 'Subtasks of this task, those right below it.' }),
    topLevel: t.boolean({ description: 'True: no subtasks; false: subtasks only.' }),
    priority: t.field({ type: [enumRef(priority)], description: 'One of these priorities.' }),
    hasDueDate: t.boolean({ description: 'True: those that have a due date; false: those that have none.' }),
    dueBefore: t.field({ type: 'Date', description: 'Due before this day, the day itself excluded.' }),
    dueAfter: t.field({ type: 'Date', description: 'Due after this day, the day itself excluded.' }),
    text: t.string({
      description:
        'Found by `search` for this text, all that match and not only the best, in the order of the list; not blank, at most 500 characters.',
    }),
    updatedAfter: t.field({
      type: 'DateTime',
      description: 'Last changed after this moment, the moment itself excluded; as `Task.updatedAt` has it.',
    }),
  }),
});

const TaskOrder = builder.enumType('TaskOrder', {
  description:
    'Orders of a list of tasks, each with the direction that it has where none is given; at equal values by id in the same direction. Tasks without a value come last in both directions. What is said to be sorted takes the longer the more tasks the filter lets through; the others are read in their order.',
  values: {
    SORT_KEY: { description: 'By sort key, bytewise; ASC.' },
    DUE_DATE: { description: 'By due date: ASC, soonest first. DESC is sorted.' },
    CREATED_AT: { description: 'By creation: DESC, newest first.' },
    COMPLETED_AT: { description: 'By completion: DESC, last completed first. Sorted.' },
    UPDATED_AT: { description: 'By last change: DESC, last changed first. Sorted.' },
    PRIORITY: { description: 'By priority: DESC, from HIGH to LOW. Sorted.' },
    TITLE: { description: 'By title, as a dictionary has it, without regard to case; ASC. Sorted.' },
  } as const,
});

const Direction = builder.enumType('Direction', {
  description: 'Which end of an order comes first.',
  values: {
    ASC: { description: 'The least value: the earliest moment, the lowest priority, the beginning of the alphabet.' },
    DESC: { description: 'The greatest value.' },
  } as const,
});

type TaskConnectionShape = ReturnType<typeof toConnection<ListPosition>>;

const TaskEdge = builder.objectRef<TaskConnectionShape['edges'][number]>('TaskEdge').implement({
  description: 'A task on a page, with its place in the list.',
  fields: (t) => ({
    node: t.expose('node', { type: Task, description: 'The task.' }),
    cursor: t.string({
      description: 'For `after` and `before`; valid also when the task is gone.',
      resolve: ({ cursor }) => cursor(),
    }),
  }),
});

const TaskConnection = builder.objectRef<TaskConnectionShape>('TaskConnection').implement({
  description: 'A page of a list of tasks.',
  fields: (t) => ({
    edges: t.expose('edges', { type: [TaskEdge], description: 'The page, each task with its cursor.' }),
    nodes: t.field({
      type: [Task],
      description: 'The page, without cursors.',
      resolve: ({ edges }) => edges.map(({ node }) => node),
    }),
    pageInfo: t.expose('pageInfo', { type: PageInfo, description: 'The position of the page in the list.' }),
    totalCount: t.int({
      description: 'Number of the tasks that the filter lets through, on all pages.',
      resolve: ({ count }) => count(),
    }),
  }),
});

const pageArguments = builder.args((t) => ({
  filter: t.field({ type: TaskFilter, description: 'Which tasks; absent: all.' }),
  orderBy: t.field({ type: TaskOrder, description: 'In which order; absent: by sort key.' }),
  direction: t.field({ type: Direction, description: 'In which direction; absent: the usual one of the order.' }),
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
    description: 'The tasks of all spaces that the caller is a member of, subtasks too.',
    args: {
      ...pageArguments,
      orderBy: t.arg({ type: TaskOrder, defaultValue: 'SORT_KEY', description: 'In which order.' }),
    },
    ...connectionOf(
      'Task',
      (args: ConnectionArguments, context, query, withCount) =>
        rules.listTasks(signedIn(context), args, context.pageSize, query, withCount),
      { scans: scansOf('space') },
    ),
  }),
);

type NestedSelection = <Query extends object>(query: Query, path: never) => Query;

// The plugin reads such a path as well as the list of names that its types know.
const toNodes = { getType: () => 'Task', paths: nodePaths } satisfies IndirectInclude as never;

/** The tasks of a project or of a section: read with it in one statement, counted for all of a list in another. */
const listOf = (owner: 'project' | 'section') =>
  ({
    type: TaskConnection,
    args: pageArguments,
    extensions: { scans: scansOf(owner) },
    select: (args: ConnectionArguments, context: Context, nestedSelection: NestedSelection) => {
      const page = pageOf(args, signedIn(context), context.pageSize);
      return { tasks: nestedSelection({ ...page.query, select: positionFields(page) }, toNodes) };
    },
    resolve: (parent: { id: string; tasks: ListPosition[] }, args: ConnectionArguments, context: Context) => {
      const page = pageOf(args, signedIn(context), context.pageSize);
      const count = () => countsOf(context, { model: 'Task', column: `${owner}Id` }, page.filter).load(parent.id);
      return toConnection(args, page, parent.tasks, count);
    },
  }) as const;

builder.prismaObjectField('Project', 'tasks', (t) =>
  t.field({ ...listOf('project'), description: 'The tasks of the project, subtasks too.' }),
);

builder.prismaObjectField('Section', 'tasks', (t) =>
  t.field({ ...listOf('section'), description: 'The tasks of the section, subtasks too.' }),
);

builder.prismaObjectField('Tag', 'tasks', (t) =>
  t.field({
    type: TaskConnection,
    description:
      'The tasks that carry it, in all spaces that the caller is a member of. They are sorted, whatever the order.',
    args: pageArguments,
    extensions: { scans: scansOf('tag') },
    select: (args, context, nestedSelection: NestedSelection) => {
      const viewer = signedIn(context);
      const page = pageOf(args, viewer, context.pageSize);
      const task = nestedSelection({ select: positionFields(page) }, toNodes);
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
        count,
      );
    },
  }),
);

const SearchResult = builder.objectRef<Awaited<ReturnType<typeof rules.search>>>('SearchResult').implement({
  description: 'What a search has found.',
  fields: (t) => ({
    tasks: t.prismaField({
      type: ['Task'],
      description: 'Tasks, best first.',
      resolve: (query, { taskIds }, _args, context) => rules.findTasksInOrder(signedIn(context), taskIds, query),
    }),
    tags: t.prismaField({
      type: ['Tag'],
      description: 'Tags, best first.',
      resolve: async (query, { tagIds }, _args, context) =>
        sortByIds(tagIds, await findTags(signedIn(context), { ids: tagIds }, query)),
    }),
  }),
});

builder.queryField('search', (t) =>
  t.field({
    type: SearchResult,
    description: 'Searches titles, descriptions and tag names, forgiving typos.',
    args: {
      query: t.arg.string({ required: true, description: 'Words or their beginnings; not blank.' }),
      first: t.arg.int({ defaultValue: 50, description: 'Returns the first n of each kind (at most 50).' }),
    },
    resolve: (_root, { query, first }, context) => rules.search(signedIn(context), query, first ?? maxFound),
  }),
);
