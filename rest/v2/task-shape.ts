import type { ResultOf, TadaDocumentNode } from 'gql.tada';
import { maxLevels } from '../../src/tasks/input.ts';
import { lower } from '../entity.ts';
import { graphql } from '../graphql.ts';
import type { RestCaller } from '../route.ts';
import { tag, task } from './entities.ts';

export const TaskWithTags = graphql('fragment TaskWithTags on Task { ...TaskFields tags { ...TagFields } }', [
  task.fragment,
  tag.fragment,
]);

/** Batches and the export: these fields are no part of the contract's shapes. */
export const TaskWithAssignees = graphql(
  'fragment TaskWithAssignees on Task { ...TaskWithTags assigneeIds createdById }',
  [TaskWithTags],
);

export const FoundTask = graphql(`
  fragment FoundTask on Task {
    id
    title
    description
    priority
    dueDate
    completed
    parentId
    projectId
  }
`);

export type TaskRecord = ResultOf<typeof TaskWithTags>;

interface TaskTreeData extends TaskRecord {
  children?: TaskTreeData[];
}

const treeOf = (levels: number): string => `...TaskWithTags ${levels > 1 ? `children { ${treeOf(levels - 1)} }` : ''}`;

/** A task with all subtasks. */
export const TaskTree = graphql(`fragment TaskTree on Task { ${treeOf(maxLevels)} }`, [
  TaskWithTags,
] as never) as unknown as TadaDocumentNode<
  TaskTreeData,
  Record<string, never>,
  { fragment: 'TaskTree'; on: 'Task'; masked: false }
>;

/** Inbox tasks have no project in REST (contract decisions, Tasks). */
const projectIdOf = ({ projectId }: { projectId: string }, { inboxId }: RestCaller) =>
  projectId === inboxId ? null : projectId;

/** Shows a task without tags and children, after a create or update. */
export const toTodo = <Data extends Omit<TaskRecord, 'tags'>>(data: Data, caller: RestCaller) => ({
  ...task.show(data),
  projectId: projectIdOf(data, caller),
});

/** Shows a task without children, for the change log. */
export const toTodoWithTags = (data: TaskRecord, caller: RestCaller) => ({
  ...toTodo(data, caller),
  tags: data.tags.map(tag.show),
});

export type AssignedTask = ResultOf<typeof TaskWithAssignees>;

export const toTodoWithAssignees = (data: AssignedTask, caller: RestCaller) => ({
  ...toTodoWithTags(data, caller),
  assigneeIds: data.assigneeIds,
  createdById: data.createdById,
});

type ListedTodo = ReturnType<typeof toTodoWithTags> & { children: ListedTodo[] };

export const toListedTodo = (task: TaskTreeData, caller: RestCaller): ListedTodo => ({
  ...toTodoWithTags(task, caller),
  children: toListedTodos(task.children ?? [], caller),
});

export const toListedTodos = (tasks: readonly TaskTreeData[], caller: RestCaller): ListedTodo[] =>
  tasks.map((task) => toListedTodo(task, caller));

/** Subtasks are also entries of their own. */
export function toForest(tasks: readonly TaskRecord[], caller: RestCaller): ListedTodo[] {
  const entries = tasks.map((task): ListedTodo => ({ ...toTodoWithTags(task, caller), children: [] }));
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  for (const entry of entries) if (entry.parentId !== null) byId.get(entry.parentId)?.children.push(entry);
  return entries;
}

export const toFoundTodo = <Found extends Pick<TaskRecord, 'priority' | 'projectId'>>(
  task: Found,
  caller: RestCaller,
) => ({
  ...task,
  priority: lower(task.priority),
  projectId: projectIdOf(task, caller),
});
