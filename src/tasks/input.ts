import { z } from 'zod';
import { codePoints, referredIds, text, unclearable } from '../kernel/input.ts';
import { type FieldOf, fieldsOf, type TaskField, type taskFields, type TaskInput } from './fields.ts';

/** Levels of a tree of tasks, the top one included. */
export const maxLevels = 10;

/** What a search may be; blank is refused, as it would match everything or nothing. */
export const searchQuery = text()
  .trim()
  .refine((value) => value !== '', { error: 'must not be blank' })
  .refine((value) => codePoints(value) <= 500, { error: 'must be at most 500 characters long' });

/** Tasks and tags that a search gives at the most. */
export const maxFound = 50;

/** A shape as an input has it: needed, or absent where there is nothing to say. */
type ShapeOf<Field extends TaskField> = Field extends { required: true }
  ? Field['shape']
  : z.ZodOptional<z.ZodNullable<Field['shape']>>;

/** An update has nothing that it needs. */
type UpdateShapeOf<Field extends TaskField> = z.ZodOptional<z.ZodNullable<Field['shape']>>;

type ShapesOf<Input extends TaskInput> = {
  [Name in FieldOf<Input>]: Input extends 'create'
    ? ShapeOf<(typeof taskFields)[Name]>
    : UpdateShapeOf<(typeof taskFields)[Name]>;
};

function shapeIn(input: TaskInput, { shape, required, nullable }: TaskField): z.ZodType {
  if (input === 'create') return required ? shape : shape.nullish();
  return nullable ? shape.nullish() : unclearable(shape);
}

/** The shapes of the fields that an input has. */
const shapesOf = <Input extends TaskInput>(input: Input) =>
  Object.fromEntries(fieldsOf(input).map(([name, field]) => [name, shapeIn(input, field)])) as ShapesOf<Input>;

const id = z.string();

/** What a task refers to. */
const references = { tagIds: referredIds.nullish(), projectId: id.nullish(), sectionId: id.nullish() };

export const createTask = z.object({ ...shapesOf('create'), ...references, parentId: id.nullish() });

export const updateTask = z.object({ ...shapesOf('update'), ...references, parentId: id.nullish() });

export const bulkUpdateTasks = z.object({ ...shapesOf('bulk'), ...references });

export type UpdateTaskInput = z.output<typeof updateTask>;
