import type { FragmentOf } from 'gql.tada';
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

export type TaskFieldsData = FragmentOf<typeof TaskFields>;

/** What a {@link TaskTree} gives, on any of its levels. */
export interface TaskTreeData extends TaskFieldsData {
  tags: { id: string; name: string; color: string }[];
  children?: TaskTreeData[];
}

/** `HIGH` is `high` over REST. */
export const lower = <Value extends string>(value: Value | null) =>
  value === null ? null : (value.toLowerCase() as Lowercase<Value>);

/** Tasks of the inbox have no project over REST (contract decisions, Tasks). */
const projectIdOf = ({ projectId }: { projectId: string }, { inboxId }: Caller) =>
  projectId === inboxId ? null : projectId;

/** A task as create and update answer it: all fields but tags and children. */
export function toTodo(task: TaskFieldsData, caller: Caller) {
  const { sectionId, ...fields } = task;
  return {
    ...fields,
    priority: lower(task.priority),
    projectId: projectIdOf(task, caller),
    projectSectionId: sectionId,
  };
}

/** A task as lists show it. */
export function toListedTodo(task: TaskTreeData, caller: Caller): object {
  const { tags, children = [], ...fields } = task;
  const { parentId, projectId, projectSectionId, ...rest } = toTodo(fields, caller);
  return {
    ...rest,
    tags: tags.map((tag) => ({ ...tag, color: lower(tag.color) })),
    parentId,
    children: children.map((child) => toListedTodo(child, caller)),
    projectId,
    projectSectionId,
  };
}

/** A task as the search shows it. */
export function toFoundTodo(
  task: Pick<
    TaskFieldsData,
    'id' | 'title' | 'description' | 'priority' | 'dueDate' | 'completed' | 'parentId' | 'projectId'
  >,
  caller: Caller,
) {
  return { ...task, priority: lower(task.priority), projectId: projectIdOf(task, caller) };
}
