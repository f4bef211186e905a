import { builder } from '../graphql/builder.ts';
import { enumRef, inputFields } from '../graphql/fields.ts';
import { RecurrenceInput } from '../recurrence/schema.ts';
import { priority, taskFields } from './fields.ts';

const completedOn = {
  type: 'Date',
  description:
    'Day of the completion, local to the series, if it is not today. A series with the basis COMPLETION counts from it. It changes nothing else.',
} as const;

const differences = {
  addAssigneeIds:
    'Ids of members to assign in addition. Concurrent additions and removals add up. Excludes `assigneeIds`.',
  removeAssigneeIds: 'Ids of users to remove from the assignees. Ignores others. Excludes `assigneeIds`.',
};

export const CreateTaskInput = builder.inputType('CreateTaskInput', {
  description:
    'A new task. Only the title is required. Without `reminder`, a task with a `dueDate` gets the `automaticRemainder` of its creator, and any other task gets false. `dueTime` alone does not count as a due date.',
  fields: (t) => ({
    ...inputFields((options) => t.field(options), taskFields, 'create'),
    tagIds: t.idList({ description: "Ids of the caller's tags, at most 1,000." }),
    assigneeIds: t.idList({ description: "Ids of members of the task's space, at most ten." }),
    recurrence: t.field({ type: RecurrenceInput, description: 'How the task repeats.' }),
    parentId: t.id({ description: 'Id of the parent task. A tree has at most ten levels.' }),
    projectId: t.id({
      description: "Id of the project. By default the parent's project, or the inbox without a parent.",
    }),
    sectionId: t.id({ description: 'Id of a section of the project. Requires `projectId`.' }),
  }),
});

export const UpdateTaskInput = builder.inputType('UpdateTaskInput', {
  description:
    'Changes to a task. An absent field stays unchanged, and null clears it. `title`, `completed`, `reminder` and `sortKey` cannot be null.',
  fields: (t) => ({
    ...inputFields((options) => t.field(options), taskFields, 'update'),
    tagIds: t.idList({
      description: "Ids of the caller's tags, at most 1,000. Replaces the caller's tags on the task.",
    }),
    assigneeIds: t.idList({
      description: "Ids of members of the task's space, at most ten. Replaces the assignees. Null for nobody.",
    }),
    addAssigneeIds: t.idList({ description: differences.addAssigneeIds }),
    removeAssigneeIds: t.idList({ description: differences.removeAssigneeIds }),
    recurrence: t.field({
      type: RecurrenceInput,
      description:
        'How the task repeats. With a new due date or time, this and all later occurrences move. Null ends the series.',
    }),
    completedOn: t.field(completedOn),
    parentId: t.id({ description: 'Id of the new parent task. Null for a top-level task.' }),
    projectId: t.id({ description: 'Id of the new project. Null for the inbox. Clears the section.' }),
    sectionId: t.id({ description: 'Id of a section of the project. Null for no section.' }),
  }),
});

export const BulkUpdateTasksInput = builder.inputType('BulkUpdateTasksInput', {
  description:
    'Changes to every listed task. An absent field stays unchanged, and null clears it. `completed` and `reminder` cannot be null.',
  fields: (t) => ({
    ...inputFields((options) => t.field(options), taskFields, 'bulk'),
    tagIds: t.idList({
      description: "Ids of the caller's tags, at most 1,000. Replaces the caller's tags on every task.",
    }),
    assigneeIds: t.idList({
      description:
        'Ids of members of the spaces of all tasks, at most ten. Replaces the assignees of every task. Null for nobody.',
    }),
    addAssigneeIds: t.idList({ description: differences.addAssigneeIds }),
    removeAssigneeIds: t.idList({ description: differences.removeAssigneeIds }),
    completedOn: t.field(completedOn),
    projectId: t.id({ description: 'Id of the new project. Null for the inbox. Clears the sections.' }),
    sectionId: t.id({ description: 'Id of a section of the project. Null for no section.' }),
  }),
});

export const TaskFilter = builder.inputType('TaskFilter', {
  description: 'Conditions that must all hold.',
  fields: (t) => ({
    completed: t.boolean({ description: 'True for completed tasks only, false for open tasks only.' }),
    tagIds: t.idList({ description: 'Tasks with at least one of these tags of the caller. At most 1,000 ids.' }),
    projectId: t.id({ description: 'Tasks of this project.' }),
    projectIds: t.idList({ description: 'Tasks of these projects. At most 1,000 ids.' }),
    sectionId: t.id({ description: 'Tasks of this section.' }),
    parentId: t.id({ description: 'Direct subtasks of this task.' }),
    topLevel: t.boolean({ description: 'True for top-level tasks only, false for subtasks only.' }),
    priority: t.field({ type: [enumRef(priority)], description: 'Tasks with one of these priorities.' }),
    hasDueDate: t.boolean({ description: 'True for tasks with a due date only, false for tasks without one.' }),
    dueBefore: t.field({ type: 'Date', description: 'Tasks due before this day, exclusive.' }),
    dueAfter: t.field({ type: 'Date', description: 'Tasks due after this day, exclusive.' }),
    text: t.string({
      description:
        'Tasks that match this text as in `search`: every match, in the order of the list. Not blank, at most 500 characters.',
    }),
    updatedAfter: t.field({
      type: 'DateTime',
      description: 'Tasks whose `updatedAt` is after this time, exclusive.',
    }),
    seriesId: t.id({ description: 'Occurrences of this series, open and completed.' }),
    repeating: t.boolean({ description: 'Tasks with a recurrence, or without.' }),
    assigneeId: t.id({ description: 'Tasks that are assigned to this user. Sorted in every order.' }),
    assigned: t.boolean({ description: 'Tasks with assignees, or without.' }),
    claimed: t.boolean({ description: 'Tasks with a claim, or without.' }),
  }),
});
