import { z } from 'zod';
import { codePoints, newEntityId, referredIds, text } from '../kernel/input.ts';
import type { FieldType, ValueOf } from '../kernel/fields.ts';
import { type FieldOf, fieldsOf, type taskFields, type TaskInput } from './fields.ts';

/** Levels of a tree of tasks, the top one included. */
export const maxLevels = 10;

/** What a search may be; blank is refused, as it would match everything or nothing. */
export const searchQuery = text()
  .trim()
  .refine((value) => value !== '', { error: 'must not be blank' })
  .refine((value) => codePoints(value) <= 500, { error: 'must be at most 500 characters long' })
  .meta({ minLength: 1, maxLength: 500 });

/** Tasks and tags that a search gives at the most. */
export const maxFound = 50;

type Fields = typeof taskFields;

type ShapeOf<Name extends keyof Fields, IsWritten> = IsWritten extends true
  ? z.ZodType<NonNullable<ValueOf<Fields[Name]>>>
  : Fields[Name] extends { shape: infer Shape extends z.ZodType }
    ? Shape
    : never;

/** Null is among the types of an update's fields, as GraphQL sends it; where it clears nothing, it is refused. */
export type ShapesOf<Input extends TaskInput, IsWritten = false> = {
  [Name in FieldOf<Input>]: [Input, Fields[Name]] extends ['create', { required: true }]
    ? ShapeOf<Name, IsWritten>
    : z.ZodOptional<z.ZodNullable<ShapeOf<Name, IsWritten>>>;
};

/**
 * The shapes of the fields that an input has: absent where there is nothing to say, null as {@link TaskField} has it.
 * @param written shapes in place of the fields' own, by their types: how an API writes values that it sends on as they are
 */
export function shapesOf<Input extends TaskInput>(input: Input): ShapesOf<Input>;
export function shapesOf<Input extends TaskInput>(input: Input, written: Written): ShapesOf<Input, true>;
export function shapesOf(input: TaskInput, written?: Written) {
  const shapes = fieldsOf(input).map(
    ([name, { type, shape: own, required, nullable, description, default: value }]) => {
      const isDefault = input === 'create' && value !== undefined;
      const shape = (written?.(type) ?? own).meta({ description, ...(isDefault && { default: value }) });
      if (input === 'create' && required) return [name, shape];
      return [name, input === 'create' || nullable ? shape.nullish() : shape.optional()];
    },
  );
  return Object.fromEntries(shapes) as object;
}

type Written = (type: FieldType) => z.ZodType | undefined;

const id = z.string();

/** What a task refers to. */
const references = { tagIds: referredIds.nullish(), projectId: id.nullish(), sectionId: id.nullish() };

export const createTask = z.object({
  id: newEntityId('Task'),
  ...shapesOf('create'),
  ...references,
  parentId: id.nullish(),
});

export const updateTask = z.object({ ...shapesOf('update'), ...references, parentId: id.nullish() });

export const bulkUpdateTasks = z.object({ ...shapesOf('bulk'), ...references });

export type UpdateTaskInput = z.output<typeof updateTask>;
