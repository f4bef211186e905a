import { z } from 'zod';
import { parseDate, parseDateTime } from '../../src/kernel/dates.ts';
import {
  type FieldOf,
  fieldsOf,
  priorities,
  type TaskField,
  type taskFields,
  type TaskInput,
} from '../../src/tasks/fields.ts';
import { lowerEnum } from './task-shape.ts';

/** How REST has values of types that JSON lacks, or that the contract writes in another way. */
const representations = {
  priority: lowerEnum(priorities),
  date: z.string().refine((value) => parseDate(value), { error: 'must be a date that exists, as YYYY-MM-DD' }),
  timestamp: z.string().refine((value) => parseDateTime(value), { error: 'must be an ISO 8601 date and time' }),
} as const;

type Represented = typeof representations;

type ShapeOf<Field extends TaskField> = Field['type'] extends keyof Represented
  ? Represented[Field['type']]
  : Field['shape'];

const shapeOf = ({ type, shape }: TaskField): z.ZodType =>
  type in representations ? representations[type as keyof Represented] : shape;

type CreateShapes = {
  [Name in FieldOf<'create'>]: (typeof taskFields)[Name] extends { required: true }
    ? ShapeOf<(typeof taskFields)[Name]>
    : z.ZodOptional<z.ZodNullable<ShapeOf<(typeof taskFields)[Name]>>>;
};

type UpdateShapes<Input extends 'update' | 'bulk'> = {
  [Name in FieldOf<Input>]: (typeof taskFields)[Name]['nullable'] extends true
    ? z.ZodOptional<z.ZodNullable<ShapeOf<(typeof taskFields)[Name]>>>
    : z.ZodOptional<ShapeOf<(typeof taskFields)[Name]>>;
};

const shapesOf = (input: TaskInput) =>
  Object.fromEntries(
    fieldsOf(input).map(([name, field]) => {
      const shape = shapeOf(field);
      if (input === 'create' && field.required) return [name, shape];
      return [name, input === 'create' || field.nullable ? shape.nullish() : shape.optional()];
    }),
  );

const ids = z.array(z.string());
const references = { projectId: z.string().nullish(), projectSectionId: z.string().nullish() };

/** Contract, 4.4: the body of `POST /api/v2/todo`. */
export const newTask = z
  .object({
    ...(shapesOf('create') as CreateShapes),
    ...references,
    tags: ids.nullish(),
    parentId: z.string().nullish(),
  })
  .refine((body) => body.projectSectionId == null || body.projectId != null, {
    path: ['projectSectionId'],
    error: 'needs a projectId beside it',
  });

/** Contract, 4.4: the body of `PATCH /api/v2/todo/:id`. */
export const taskChanges = z.object({
  ...(shapesOf('update') as UpdateShapes<'update'>),
  ...references,
  tags: ids.optional(),
});

const refused = z.undefined({ error: 'cannot be changed of many tasks at once' });
const refusedFields = Object.fromEntries(
  fieldsOf('update')
    .filter(([, { inputs }]) => !inputs.includes('bulk'))
    .map(([name]) => [name, refused]),
);

/** Contract, 4.4: the body of `PATCH /api/v2/todo/bulk`. */
export const bulkChanges = z
  .object({ ...(shapesOf('bulk') as UpdateShapes<'bulk'>), ...references, tags: ids.optional() })
  .refine((body) => Object.keys(body).length > 0, { error: 'must have at least one field to change' })
  .and(z.object(refusedFields).partial());

/** The contract's fields under the core's names. */
export function toInput<Body extends { tags?: string[] | null; projectSectionId?: string | null }>(body: Body) {
  const { tags, projectSectionId, ...same } = body;
  return {
    ...same,
    ...(tags === undefined ? {} : { tagIds: tags }),
    ...(projectSectionId === undefined ? {} : { sectionId: projectSectionId }),
  };
}
