import { z } from 'zod';
import { parseDate, parseDateTime } from '../../src/kernel/dates.ts';
import { newEntityId } from '../../src/kernel/input.ts';
import type { FieldType } from '../../src/kernel/fields.ts';
import { fieldsOf } from '../../src/tasks/fields.ts';
import { shapesOf } from '../../src/tasks/input.ts';
import { lowerEnum } from '../entity.ts';

/** How REST has values of types that JSON lacks, or that the contract writes in another way. */
const written = (type: FieldType) => {
  if (typeof type === 'object') return 'values' in type ? lowerEnum(type) : undefined;
  return { date, timestamp }[type as string];
};
const date = z
  .string()
  .refine((value) => parseDate(value), { error: 'must be a date that exists, as YYYY-MM-DD' })
  .meta({ format: 'date' });
const timestamp = z
  .string()
  .refine((value) => parseDateTime(value), { error: 'must be an ISO 8601 date and time' })
  .meta({ format: 'date-time' });

const ids = z.array(z.string()).describe('Ids of tags of the caller: those that it is to have.');
const parentId = z.string().describe('Id of the task that it is to be a subtask of; null: of none.').nullish();
const references = {
  projectId: z.string().describe('Id of its project; null: the inbox.').nullish(),
  projectSectionId: z.string().describe('Id of its section, which is in its project; null: none.').nullish(),
};

/** Contract, 4.4: the body of `POST /api/v2/todo`. */
export const newTask = z
  .object({
    id: newEntityId('Task'),
    ...shapesOf('create', written),
    ...references,
    tags: ids.nullish(),
    parentId,
  })
  .refine((body) => body.projectSectionId == null || body.projectId != null, {
    path: ['projectSectionId'],
    error: 'needs a projectId beside it',
  });

const { sortKey, ...changes } = shapesOf('update', written);

/** Contract, 4.4: the body of `PATCH /api/v2/todo/:id`. */
export const taskChanges = z.object({ ...changes, sortKey, ...references, tags: ids.optional() });

const refused = z.undefined({ error: 'cannot be changed of many tasks at once' });
const refusedFields = Object.fromEntries(
  fieldsOf('update')
    .filter(([, { inputs }]) => !inputs.includes('bulk'))
    .map(([name]) => [name, refused]),
);

/** Contract, 4.4: the body of `PATCH /api/v2/todo/bulk`. */
export const bulkChanges = z
  .object({ ...shapesOf('bulk', written), ...references, tags: ids.optional() })
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
