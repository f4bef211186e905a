import type { ResultOf } from 'gql.tada';
import { z } from 'zod';
import type { taskFields } from '../../src/tasks/fields.ts';
import { graphql } from '../graphql.ts';
import type { Caller } from '../route.ts';

/** What REST shows of a task beside its tags and subtasks. */
export const TaskFields = graphql(`
  fragment TaskFields on Task {
    id
    title
    description
    priority
    dueDate
    dueTime
    isAllDay
    completed
    completedAt
    color
    sortKey
    reminder
    parentId
    projectId
    sectionId
  }
`);

export const TaskWithTags = graphql(
  `
    fragment TaskWithTags on Task {
      ...TaskFields
      tags {
        id
        name
        color
      }
    }
  `,
  [TaskFields],
);

/** What REST shows of a task is made of. */
export type TaskRecord = ResultOf<typeof TaskWithTags>;

/** A task with its tags and its whole tree of subtasks: ten levels are the most that there are. */
export const TaskTree = graphql(
  `
    fragment TaskTree on Task {
      ...TaskWithTags
      children {
        ...TaskWithTags
        children {
          ...TaskWithTags
          children {
            ...TaskWithTags
            children {
              ...TaskWithTags
              children {
                ...TaskWithTags
                children {
                  ...TaskWithTags
                  children {
                    ...TaskWithTags
                    children {
                      ...TaskWithTags
                      children {
                        ...TaskWithTags
                      }
                    }
                  }
                }
              }
            }
          }
        }
      }
    }
  `,
  [TaskWithTags],
);

/** What a {@link TaskTree} gives, on any of its levels. */
interface TaskTreeData extends TaskRecord {
  children?: TaskTreeData[];
}

/** `HIGH` is `high` over REST. */
export function lower<Value extends string>(value: Value): Lowercase<Value>;
export function lower<Value extends string>(value: Value | null): Lowercase<Value> | null;
export function lower(value: string | null) {
  return value === null ? null : value.toLowerCase();
}

/** The shape of an enum of the core as REST takes it: `high` is `HIGH`. */
export const lowerEnum = <Value extends string>(values: readonly Value[]) =>
  z
    .enum(values.map((value) => value.toLowerCase() as Lowercase<Value>))
    .transform((value) => value.toUpperCase() as Value);

/** Tasks of the inbox have no project over REST (contract decisions, Tasks). */
const projectIdOf = ({ projectId }: { projectId: string }, { inboxId }: Caller) =>
  projectId === inboxId ? null : projectId;

/** A task as create and update answer it: all fields but tags and children. */
export const toTodo = (task: Omit<TaskRecord, 'tags'>, caller: Caller) =>
  ({
    id: task.id,
    title: task.title,
    description: task.description,
    priority: lower(task.priority),
    dueDate: task.dueDate,
    dueTime: task.dueTime,
    isAllDay: task.isAllDay,
    completed: task.completed,
    completedAt: task.completedAt,
    color: task.color,
    sortKey: task.sortKey,
    reminder: task.reminder,
    parentId: task.parentId,
    projectId: projectIdOf(task, caller),
    projectSectionId: task.sectionId,
  }) satisfies Record<keyof typeof taskFields, unknown> & Record<string, unknown>;

/** A tag as the contract shows it. */
export const toTag = ({ id, name, color }: TaskRecord['tags'][number]) => ({ id, name, color: lower(color) });

/** A task as the change log shows it: all fields but children. */
export const toTodoWithTags = (task: TaskRecord, caller: Caller) => ({
  ...toTodo(task, caller),
  tags: task.tags.map(toTag),
});

/** A task as lists show it. */
type ListedTodo = ReturnType<typeof toTodoWithTags> & { children: ListedTodo[] };

/** Tasks whose trees have been read with them. */
export const toListedTodos = (tasks: readonly TaskTreeData[], caller: Caller): ListedTodo[] =>
  tasks.map((task) => ({
    ...toTodoWithTags(task, caller),
    children: toListedTodos(task.children ?? [], caller),
  }));

/** All tasks, each with its subtasks, which are entries of the same list. */
export function toForest(tasks: readonly TaskRecord[], caller: Caller): ListedTodo[] {
  const entries = tasks.map((task): ListedTodo => ({ ...toTodoWithTags(task, caller), children: [] }));
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  for (const entry of entries) if (entry.parentId !== null) byId.get(entry.parentId)?.children.push(entry);
  return entries;
}

/** A task as the search shows it. */
export const toFoundTodo = <Found extends Pick<TaskRecord, 'priority' | 'projectId'>>(task: Found, caller: Caller) => ({
  ...task,
  priority: lower(task.priority),
  projectId: projectIdOf(task, caller),
});
