import { builder } from '../graphql/builder.ts';

export const Priority = builder.enumType('Priority', {
  description: 'How much a task matters.',
  values: {
    HIGH: { description: 'Before all others.' },
    MEDIUM: { description: 'Before what is low or has none.' },
    LOW: { description: 'When there is time.' },
  } as const,
});

export const CreateTaskInput = builder.inputType('CreateTaskInput', {
  description: 'A new task; only the title is needed.',
  fields: (t) => ({
    title: t.string({ required: true, description: '1 to 500 characters after trimming.' }),
    description: t.string({ description: 'Plain text, up to 16,384 characters.' }),
    priority: t.field({ type: Priority, description: 'How much it matters.' }),
    dueDate: t.field({ type: 'Date', description: 'The day that it is due.' }),
    dueTime: t.field({ type: 'DateTime', description: 'The moment that it is due; kept where `isAllDay` is false.' }),
    isAllDay: t.boolean({ defaultValue: true, description: 'Whether it takes up the whole due date.' }),
    color: t.string({ description: 'Hex colour: #RGB, #RRGGBB or #RRGGBBAA.' }),
    reminder: t.boolean({ defaultValue: false, description: 'Whether a reminder is wanted.' }),
    tagIds: t.idList({ description: "Ids of the caller's tags, at most 1,000." }),
    parentId: t.id({ description: 'Id of the task that it is to be a subtask of; ten levels at the most.' }),
    projectId: t.id({ description: "Id of the project; absent: the parent's, else the inbox." }),
    sectionId: t.id({ description: 'Id of a section of the project; needs `projectId`.' }),
  }),
});

export const UpdateTaskInput = builder.inputType('UpdateTaskInput', {
  description:
    'What to change of a task: an absent field is untouched, null clears it. `title`, `completed`, `reminder` and `sortKey` cannot be null.',
  fields: (t) => ({
    title: t.string({ description: '1 to 500 characters after trimming.' }),
    description: t.string({ description: 'Plain text, up to 16,384 characters.' }),
    priority: t.field({ type: Priority, description: 'How much it matters.' }),
    dueDate: t.field({ type: 'Date', description: 'The day that it is due.' }),
    dueTime: t.field({ type: 'DateTime', description: 'The moment that it is due; kept where `isAllDay` is false.' }),
    isAllDay: t.boolean({ description: 'Whether it takes up the whole due date; true clears `dueTime`.' }),
    completed: t.boolean({ description: 'Whether it is done; sets or clears `completedAt`.' }),
    color: t.string({ description: 'Hex colour: #RGB, #RRGGBB or #RRGGBBAA.' }),
    reminder: t.boolean({ description: 'Whether a reminder is wanted.' }),
    tagIds: t.idList({ description: "Ids of the caller's tags, at most 1,000: replaces the caller's tags on it." }),
    sortKey: t.string({ description: '1 to 255 printable ASCII characters; `moveTask` picks a fitting one.' }),
    parentId: t.id({ description: 'Id of the task to be a subtask of; null: a top-level task.' }),
    projectId: t.id({ description: 'Id of the project to move to; null: the inbox. Clears the section.' }),
    sectionId: t.id({ description: 'Id of a section of the project; null: none.' }),
  }),
});

export const BulkUpdateTasksInput = builder.inputType('BulkUpdateTasksInput', {
  description:
    'What to change of every task: an absent field is untouched, null clears it. `completed` and `reminder` cannot be null.',
  fields: (t) => ({
    completed: t.boolean({ description: 'Whether they are done; sets or clears `completedAt`.' }),
    priority: t.field({ type: Priority, description: 'How much they matter.' }),
    dueDate: t.field({ type: 'Date', description: 'The day that they are due.' }),
    dueTime: t.field({
      type: 'DateTime',
      description: 'The moment that they are due; kept where `isAllDay` is false.',
    }),
    isAllDay: t.boolean({ description: 'Whether they take up the whole due date; true clears `dueTime`.' }),
    reminder: t.boolean({ description: 'Whether reminders are wanted.' }),
    tagIds: t.idList({
      description: "Ids of the caller's tags, at most 1,000: replaces the caller's tags on every task.",
    }),
    projectId: t.id({ description: 'Id of the project to move to; null: the inbox. Clears the sections.' }),
    sectionId: t.id({ description: 'Id of a section of the project; null: none.' }),
  }),
});
