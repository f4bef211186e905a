import { randomInt } from 'node:crypto';
import type { z } from 'zod';
import type { Viewer } from '../kernel/context.ts';
import { invalid, notFound } from '../kernel/errors.ts';
import { valuesOf } from '../kernel/fields.ts';
import { isId, onlyIds } from '../kernel/ids.ts';
import { bulkIds, parse, parseChanges } from '../kernel/input.ts';
import { requirePersonalSpace } from '../kernel/policy.ts';
import { mapConstraintError, mapTakenId } from '../database/errors.ts';
import type { Selection } from '../nested-read/read.ts';
import { write } from '../database/write.ts';
import * as data from './data.ts';
import { tagColor } from './fields.ts';
import * as input from './input.ts';

/** For the end of a membership; the space must be locked. */
export { untagSpace } from './data.ts';

const nameTaken = () => invalid('name', 'must not be the name of another tag');

/**
 * The viewer's tags, by name without regard to case (contract, 4.5).
 * @throws VALIDATION_FAILED
 */
export const findTags = (viewer: Viewer, rawFilter: z.input<typeof input.tagFilter>, query: Selection) =>
  data.findTags(viewer, parse(input.tagFilter, rawFilter), query);

/**
 * Makes a tag of the viewer, of a random colour where none is given (contract, 4.5).
 * @returns the tag's id
 * @throws VALIDATION_FAILED, also where the viewer has a tag of that name; FORBIDDEN where their credential does not reach their tags
 */
export async function createTag(viewer: Viewer, rawInput: z.input<typeof input.createTag>): Promise<string> {
  const { color = randomColor(), ...tag } = parse(input.createTag, rawInput);
  requirePersonalSpace(viewer);
  await write(viewer, [viewer.id], (tx) => data.createTag(tx, { ...tag, spaceId: viewer.id, color }))
    .catch(mapConstraintError('duplicate', nameTaken))
    .catch(mapTakenId());
  return tag.id;
}

const colors = valuesOf(tagColor);
const randomColor = () => colors[randomInt(colors.length)] ?? 'BLUE';

/**
 * Changes a tag (contract, 4.5).
 * @returns its id
 * @throws VALIDATION_FAILED, also where there is nothing to change or another tag has the name; NOT_FOUND
 */
export async function updateTag(viewer: Viewer, id: string, rawInput: z.input<typeof input.updateTag>) {
  const changes = parseChanges(input.updateTag, rawInput);
  if (!isId('Tag', id)) throw notFound('Tag');
  const updated = await write(viewer, [viewer.id], (tx) => data.updateTag(tx, viewer, id, changes)).catch(
    mapConstraintError('duplicate', nameTaken),
  );
  if (!updated) throw notFound('Tag');
  return id;
}

/**
 * Deletes tags of the viewer, off all tasks too (contract, 4.5); other ids are ignored.
 * @returns the ids of the tags that are gone
 * @throws VALIDATION_FAILED for more than 10,000 ids
 */
export async function deleteTags(viewer: Viewer, ids: readonly string[]): Promise<string[]> {
  const known = onlyIds('Tag', parse(bulkIds, ids, 'ids'));
  if (known.length === 0) return [];
  // They leave their tasks: what is on a task is written under the lock of the task's space, by everybody.
  return write(viewer, [viewer.id, ...known], (tx) => data.deleteTags(tx, viewer, known));
}
