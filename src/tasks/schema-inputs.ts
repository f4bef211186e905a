import { builder } from '../graphql/builder.ts';
import { inputFields } from '../graphql/fields.ts';
import { taskFields } from './fields.ts';

export const CreateTaskInput = builder.inputType('CreateTaskInput', {
  description:
    'A new task; only the title is needed. Where `reminder` is absent, a task with a `dueDate` has the `automaticRemainder` of its creator, and any other one false; `dueTime` alone is no due date.',
  fields: (t) => ({
    ...inputFields((options) => t.field(options), taskFields, 'create'),
    tagIds: t.idList({ description: "Ids of the caller's tags, at most 1,000." }),
    parentId: t.id({ description: 'Id of the task to make it a subtask of; at most ten levels.' }),
    projectId: t.id({ description: "Id of the project; absent: the parent's, else the inbox." }),
    sectionId: t.id({ description: 'Id of a section of the project; needs `projectId`.' }),
  }),
});

export const UpdateTaskInput = builder.inputType('UpdateTaskInput', {
  description:
    'What to change of a task: an absent field is untouched, null clears it. `title`, `completed`, `reminder` and `sortKey` cannot be null.',
  fields: (t) => ({
    ...inputFields((options) => t.field(options), taskFields, 'update'),
    tagIds: t.idList({ description: "Ids of the caller's tags, at most 1,000: replaces the caller's tags on it." }),
    parentId: t.id({ description: 'Id of the task to be a subtask of; null: a top-level task.' }),
    projectId: t.id({ description: 'Id of the project to move to; null: the inbox. Clears the section.' }),
    sectionId: t.id({ description: 'Id of a section of the project; null: none.' }),
  }),
});

export const BulkUpdateTasksInput = builder.inputType('BulkUpdateTasksInput', {
  description:
    'What to change of every task: an absent field is untouched, null clears it. `completed` and `reminder` cannot be null.',
  fields: (t) => ({
    ...inputFields((options) => t.field(options), taskFields, 'bulk'),
    tagIds: t.idList({
      description: "Ids of the caller's tags, at most 1,000: replaces the caller's tags on every task.",
    }),
    projectId: t.id({ description: 'Id of the project to move to; null: the inbox. Clears the sections.' }),
    sectionId: t.id({ description: 'Id of a section of the project; null: none.' }),
  }),
});
