import { randomInt } from 'node:crypto';
import type { z } from 'zod';
import { invalid } from '@taskgate/base';
import type { Selection } from '@taskgate/nested-read';
import { mapConstraintError, mapTakenId } from '@taskgate/postgres';
import type { Viewer } from '../platform/context.ts';
import { notFound } from '../platform/errors.ts';
import { valuesOf } from '../platform/fields.ts';
import { isId, onlyIds } from '../platform/ids.ts';
import { bulkIds, parse, parseChanges } from '../platform/input.ts';
import { requirePersonalSpace } from '../platform/policy.ts';
import { roleFor } from '../platform/roles.ts';
import { write } from '../platform/write.ts';
import * as data from './data.ts';
import { tagColor } from './fields.ts';
import * as input from './input.ts';

/** For the end of a membership. The space must be locked. */
export { untagSpace } from './data.ts';

const nameTaken = () => invalid('name', 'must not be the name of another tag');

/** Lists the viewer's tags by name (contract, 4.5). @throws VALIDATION_FAILED */
export const findTags = (viewer: Viewer, rawFilter: z.input<typeof input.tagFilter>, query: Selection) =>
  data.findTags(viewer, parse(input.tagFilter, rawFilter), query);

/**
 * Creates a tag, by default in a random colour (contract, 4.5).
 * @throws VALIDATION_FAILED, also for a taken name; FORBIDDEN if the credential cannot access the personal space
 */
export async function createTag(viewer: Viewer, rawInput: z.input<typeof input.createTag>): Promise<string> {
  const { color = randomColor(), ...tag } = parse(input.createTag, rawInput);
  requirePersonalSpace(viewer);
  await write(viewer, { ids: [viewer.id] }, (tx) => data.createTag(tx, { ...tag, spaceId: viewer.id, color }))
    .catch(mapConstraintError('duplicate', nameTaken))
    .catch(mapTakenId());
  return tag.id;
}

const colors = valuesOf(tagColor);
const randomColor = () => colors[randomInt(colors.length)] ?? 'BLUE';

/**
 * Changes a tag (contract, 4.5).
 * @throws VALIDATION_FAILED, also without changes or for a taken name; NOT_FOUND
 */
export async function updateTag(viewer: Viewer, id: string, rawInput: z.input<typeof input.updateTag>) {
  const changes = parseChanges(input.updateTag, rawInput);
  if (!isId('Tag', id)) throw notFound('Tag');
  const updated = await write(viewer, { ids: [viewer.id] }, (tx) => data.updateTag(tx, viewer, id, changes)).catch(
    mapConstraintError('duplicate', nameTaken),
  );
  if (!updated) throw notFound('Tag');
  return id;
}

/**
 * Deletes tags and takes them off tasks (contract, 4.5). Ignores other ids.
 * @throws VALIDATION_FAILED for more than 10,000 ids
 */
export async function deleteTags(viewer: Viewer, ids: readonly string[]): Promise<string[]> {
  const tagIds = onlyIds('Tag', parse(bulkIds, ids, 'ids'));
  if (tagIds.length === 0) return [];
  // The lock of its space covers the tags on a task.
  const access = { needs: roleFor('deleteTags'), ids: [viewer.id, ...tagIds] };
  return write(viewer, access, (tx) => data.deleteTags(tx, viewer, tagIds));
}
