import { z } from 'zod';
import { referencedIds, text } from '../platform/input.ts';
import { shapesOf } from '../platform/shapes.ts';
import { tagFields } from './fields.ts';

export const createTag = z.object(shapesOf(tagFields, 'create'));

export const updateTag = z.object(shapesOf(tagFields, 'update'));

export const tagFilter = z.object({
  search: text().nullish(),
  /** An empty list matches nothing. */
  ids: referencedIds.nullish(),
});
