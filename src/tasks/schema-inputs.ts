import type { InputFieldRef } from '@pothos/core';
import type { z } from 'zod';
import { builder } from '../graphql/builder.ts';
import { newIdRule } from '../kernel/ids.ts';
import { graphqlType } from '../graphql/fields.ts';
import { type FieldOf, fieldsOf, type TaskInput } from './fields.ts';
import type { ShapesOf } from './input.ts';

type Types = typeof builder extends PothosSchemaTypes.SchemaBuilder<infer Schema> ? Schema : never;
type FieldBuilder = PothosSchemaTypes.InputFieldBuilder<Types, 'InputObject'>;

/** The fields of a task that an input has. */
function ownFields<Input extends TaskInput>(t: FieldBuilder, input: Input) {
  const isNew = input === 'create';
  const fields = fieldsOf(input).map(([name, field]) => [
    name,
    t.field({
      type: graphqlType(field.type),
      required: isNew && field.required === true,
      defaultValue: isNew ? field.default : undefined,
      description: field.inputDescription ?? field.description,
    } as { type: 'String'; description: string }),
  ]);
  return Object.fromEntries(fields) as {
    [Name in FieldOf<Input>]: InputFieldRef<Types, z.input<ShapesOf<Input>[Name]>>;
  };
}

export const CreateTaskInput = builder.inputType('CreateTaskInput', {
  description:
    'A new task; only the title is needed. Where `reminder` is absent, a task with a `dueDate` has the `automaticRemainder` of its creator, and any other one false; `dueTime` alone is no due date.',
  fields: (t) => ({
    id: t.id({ description: `The id that it is to have: ${newIdRule('Task')}.` }),
    ...ownFields(t, 'create'),
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
    ...ownFields(t, 'update'),
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
    ...ownFields(t, 'bulk'),
    tagIds: t.idList({
      description: "Ids of the caller's tags, at most 1,000: replaces the caller's tags on every task.",
    }),
    projectId: t.id({ description: 'Id of the project to move to; null: the inbox. Clears the sections.' }),
    sectionId: t.id({ description: 'Id of a section of the project; null: none.' }),
  }),
});
