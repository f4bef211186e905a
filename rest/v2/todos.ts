import { z } from 'zod';
import { searchQuery } from '../../src/tasks/input.ts';
import { orNotFound } from '../../src/platform/errors.ts';
import { text } from '../../src/platform/input.ts';
import { graphql } from '../graphql.ts';
import { count, idOf, sentAs } from '../json-schema.ts';
import { message, type RestCaller, route } from '../route.ts';
import * as responses from './responses.ts';
import { tag, task } from './entities.ts';
import { filterIds, requiredIds } from './id-list.ts';
import { bulkChanges, newTask, taskChanges, toInput } from './task-input.ts';
import { writeAssigned, writeTodos } from './task-stream.ts';
import {
  FoundTask,
  TaskTree,
  TaskWithAssignees,
  TaskWithTags,
  toFoundTodo,
  toForest,
  toListedTodo,
  toListedTodos,
  toTodo,
  toTodoWithAssignees,
} from './task-shape.ts';

const names = { tagIds: 'tags', sectionId: 'projectSectionId', ids: 'todoIds', query: 'q' };

const path = z.object({ id: idOf('Task') });

const completed = sentAs(z.enum(['true', 'false']), {
  type: 'boolean',
  description: 'Only completed tasks, or only open ones.',
});

const moveTask = z
  .object({
    after: z.string().nullish().describe('Id of the sibling to place it right after.'),
    before: z.string().nullish().describe('Id of the sibling to place it right before.'),
    parentId: z.string().nullish().describe('Id of the new parent task. Null for the top level.'),
  })
  .refine(({ after, before, parentId }) => (parentId === undefined) !== (after == null && before == null), {
    path: ['after'],
    error: 'must be set, or before, or parentId instead of both',
  });

const listQuery = z.object({ tagIds: filterIds.optional(), completed: completed.optional() });
type ListQuery = z.output<typeof listQuery>;

const isFiltered = ({ tagIds, completed }: ListQuery) => Boolean(tagIds?.length) || completed !== undefined;

const listArguments = ({ tagIds, completed }: ListQuery) => ({
  filter: { ...(completed && { completed: completed === 'true' }), ...(tagIds?.length && { tagIds }) },
  orderBy: completed === 'true' ? ('COMPLETED_AT' as const) : ('SORT_KEY' as const),
});

const assignedQuery = z.object({
  userId: text().describe('Id of the user. By default the caller.').optional(),
  completed: completed.optional(),
});

function assignedArguments({ userId, completed }: z.output<typeof assignedQuery>, { id }: RestCaller) {
  const { filter, orderBy } = listArguments({ completed });
  return { filter: { ...filter, assigneeId: userId ?? id }, orderBy };
}

/** Batches and the export have no subtasks. */
const shown = {
  ...task,
  fragment: TaskWithAssignees,
  show: toTodoWithAssignees,
  response: responses.taskWithAssignees,
};

/** Contract, 4.4. */
const routes = [
  route({
    method: 'get',
    path: '/api/v2/todo',
    summary: 'Lists tasks with their tags and subtasks',
    description:
      'Returns open and completed tasks unless `completed` is set. With `tagIds`, returns tasks that have at least one of the tags.',
    input: z.object({ query: listQuery }),
    document: graphql(
      `
        query ListTasks($filter: TaskFilter, $orderBy: TaskOrder) {
          tasks(filter: $filter, orderBy: $orderBy) {
            nodes {
              ...TaskTree
            }
          }
        }
      `,
      [TaskTree],
    ),
    // The list has every task, and so all subtrees. A page fills a response.
    alternative: {
      when: ({ query }) => !isFiltered(query),
      document: graphql('query ListAllTasks { tasks(first: 20000) { nodes { ...TaskWithTags } } }', [TaskWithTags]),
    },
    variables: ({ query }) => listArguments(query),
    response: z.object({ todos: z.array(responses.listedTask) }),
    reply: ({ tasks: { nodes } }, caller, { query }) => ({
      todos: isFiltered(query) ? toListedTodos(nodes, caller) : toForest(nodes, caller),
    }),
    stream: (streams, { query }, caller) =>
      streams.tasks(TaskWithTags, listArguments(query), (tasks) => writeTodos(tasks, caller)),
  }),
  route({
    method: 'post',
    path: '/api/v2/todo',
    summary: 'Creates a task',
    description: 'Without `projectId` the task is created in the inbox. Omitted fields are null or false.',
    input: z.object({ body: newTask }),
    names,
    document: graphql('mutation CreateTask($input: CreateTaskInput!) { createTask(input: $input) { ...TaskFields } }', [
      task.fragment,
    ]),
    variables: ({ body }) => ({ input: toInput(body) }),
    status: 201,
    response: z.object({ msg: z.literal('todo added sucessfully'), todo: responses.task }),
    reply: ({ createTask }, caller) => ({ msg: 'todo added sucessfully' as const, todo: toTodo(createTask, caller) }),
  }),
  route({
    method: 'get',
    path: '/api/v2/todo/search',
    summary: 'Searches tasks and tags, best first',
    description: 'Matches titles and descriptions of tasks, and names of tags.',
    input: z.object({ query: z.object({ q: searchQuery.describe('Words to look for.') }) }),
    names,
    document: graphql(
      'query SearchTasks($query: String!) { search(query: $query) { tasks { ...FoundTask } tags { ...TagFields } } }',
      [FoundTask, tag.fragment],
    ),
    variables: ({ query }) => ({ query: query.q }),
    response: z.object({ todos: z.array(responses.foundTask), tags: z.array(responses.tag) }),
    reply: ({ search }, caller) => ({
      todos: search.tasks.map((data) => toFoundTodo(data, caller)),
      tags: search.tags.map(tag.show),
    }),
  }),
  route({
    method: 'get',
    path: '/api/v2/todo/assigned',
    summary: 'Lists the tasks that are assigned to a user',
    description: 'All tasks that the caller can see. As in the list of tasks, but without `children`.',
    isAddition: true,
    input: z.object({ query: assignedQuery }),
    document: graphql(
      `
        query ListAssignedTasks($filter: TaskFilter, $orderBy: TaskOrder) {
          tasks(filter: $filter, orderBy: $orderBy) {
            nodes {
              ...TaskWithAssignees
            }
          }
        }
      `,
      [TaskWithAssignees],
    ),
    variables: ({ query }, caller) => assignedArguments(query, caller),
    response: z.object({ todos: z.array(responses.taskWithAssignees) }),
    reply: ({ tasks: { nodes } }, caller) => ({ todos: nodes.map((data) => toTodoWithAssignees(data, caller)) }),
    stream: (streams, { query }, caller) =>
      streams.tasks(TaskWithAssignees, assignedArguments(query, caller), (tasks) => writeAssigned(tasks, caller)),
  }),
  route({
    method: 'patch',
    path: '/api/v2/todo/bulk',
    summary: 'Sets the same values on many tasks',
    description: 'Ids of tasks that do not exist, or that the caller cannot see, are skipped.',
    input: z.object({ query: z.object({ todoIds: requiredIds }), body: bulkChanges }),
    names,
    document: graphql(`
      mutation UpdateTasks($ids: [ID!]!, $input: BulkUpdateTasksInput!) {
        updateTasks(ids: $ids, input: $input) {
          count
        }
      }
    `),
    variables: ({ query, body }) => ({ ids: query.todoIds, input: toInput(body) }),
    response: z.object({ todos: count().describe('Number of changed tasks.') }),
    reply: ({ updateTasks }) => ({ todos: updateTasks.count }),
  }),
  route({
    method: 'delete',
    path: '/api/v2/todo/bulk',
    summary: 'Deletes many tasks with their subtasks',
    description: 'Ids of tasks that do not exist, or that the caller cannot see, are skipped.',
    input: z.object({ query: z.object({ todoIds: requiredIds }) }),
    names,
    document: graphql('mutation DeleteTasks($ids: [ID!]!) { deleteTasks(ids: $ids) { count } }'),
    variables: ({ query }) => ({ ids: query.todoIds }),
    response: z.object({ deletedCount: count().describe('Number of deleted tasks.') }),
    reply: ({ deleteTasks }) => ({ deletedCount: deleteTasks.count }),
  }),
  route({
    method: 'get',
    path: '/api/v2/todo/:id',
    summary: 'Reads a task with its tags and subtasks',
    description: 'Returns the same shape as the list.',
    isAddition: true,
    input: z.object({ path }),
    document: graphql('query GetTask($id: ID!) { task(id: $id) { ...TaskTree } }', [TaskTree]),
    response: z.object({ todo: responses.listedTask }),
    reply: ({ task: data }, caller) => ({ todo: toListedTodo(orNotFound(data, 'Task'), caller) }),
  }),
  route({
    method: 'post',
    path: '/api/v2/todo/:id/move',
    summary: 'Moves a task next to a sibling, or below another parent',
    description:
      'Send `after` or `before` with the id of a task that has the same project and parent. Or send `parentId`, null for the top level.',
    isAddition: true,
    input: z.object({ path, body: moveTask }),
    resource: 'Task',
    document: graphql(
      `
        mutation MoveTask($id: ID!, $after: ID, $before: ID, $parentId: ID, $hasParent: Boolean!) {
          moveTask(id: $id, after: $after, before: $before) @skip(if: $hasParent) {
            ...TaskFields
          }
          updateTask(id: $id, input: { parentId: $parentId }) @include(if: $hasParent) {
            ...TaskFields
          }
        }
      `,
      [task.fragment],
    ),
    variables: ({ path: { id }, body }) => ({ id, ...body, hasParent: body.parentId !== undefined }),
    response: z.object({ todo: responses.task }),
    reply: ({ moveTask: moved, updateTask: updated }, caller) => ({
      todo: toTodo(orNotFound(moved ?? updated, 'Task'), caller),
    }),
  }),
  route({
    method: 'patch',
    path: '/api/v2/todo/:id',
    summary: 'Changes a task; unspecified fields are unchanged',
    description: '`tags` replaces all tags of the task. Null clears a field.',
    input: z.object({ path, body: taskChanges }),
    resource: 'Task',
    names,
    document: graphql(
      `
        mutation UpdateTask($id: ID!, $input: UpdateTaskInput!) {
          updateTask(id: $id, input: $input) {
            ...TaskFields
          }
        }
      `,
      [task.fragment],
    ),
    variables: ({ path: { id }, body }) => ({ id, input: toInput(body) }),
    response: z.object({ todo: responses.task }),
    reply: ({ updateTask }, caller) => ({ todo: toTodo(updateTask, caller) }),
  }),
  route({
    method: 'delete',
    path: '/api/v2/todo/:id',
    summary: 'Deletes a task with its subtasks',
    description: 'They can be restored from the trash.',
    input: z.object({ path }),
    document: graphql('mutation DeleteTask($id: ID!) { deleteTask(id: $id) }'),
    ...message('Todo deleted successfully'),
  }),
];

export const todos = { shown, routes };
