import { z } from 'zod';
import { fieldsOfInput } from '../../src/platform/fields.ts';
import { taskFields } from '../../src/tasks/fields.ts';
import { task } from './entities.ts';

const ids = z.array(z.string()).describe("Ids of the caller's tags for the task.");
const parentId = z.string().describe('Id of the new parent task. Null for a top-level task.').nullish();
const references = {
  projectId: z.string().describe('Id of the project. Null for the inbox.').nullish(),
  projectSectionId: z.string().describe('Id of a section in the project. Null for none.').nullish(),
};

/** Contract, 4.4: `POST /api/v2/todo`. */
export const newTask = z
  .object({
    ...task.body('create'),
    ...references,
    tags: ids.nullish(),
    parentId,
  })
  .refine((body) => body.projectSectionId == null || body.projectId != null, {
    path: ['projectSectionId'],
    error: 'needs a projectId beside it',
  });

const { sortKey, ...changes } = task.body('update');

/** Contract, 4.4: `PATCH /api/v2/todo/:id`. */
export const taskChanges = z.object({ ...changes, sortKey, ...references, tags: ids.optional() });

const refused = z.undefined({ error: 'cannot be changed in bulk' });
const refusedFields = Object.fromEntries(
  fieldsOfInput(taskFields, 'update')
    .filter(([, { inputs }]) => !inputs?.includes('bulk'))
    .map(([name]) => [name, refused]),
);

/** Contract, 4.4: `PATCH /api/v2/todo/bulk`. */
export const bulkChanges = z
  .object({ ...task.body('bulk'), ...references, tags: ids.optional() })
  .refine((body) => Object.keys(body).length > 0, { error: 'must have at least one field to change' })
  .and(z.object(refusedFields).partial());

export function toInput<Body extends { tags?: string[] | null; projectSectionId?: string | null }>(body: Body) {
  const { tags, projectSectionId, ...same } = body;
  return {
    ...same,
    ...(tags === undefined ? {} : { tagIds: tags }),
    ...(projectSectionId === undefined ? {} : { sectionId: projectSectionId }),
  };
}
