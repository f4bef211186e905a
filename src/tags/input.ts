import { z } from 'zod';
import { referredIds, text } from '../kernel/input.ts';
import { shapesOf } from '../kernel/shapes.ts';
import { tagFields } from './fields.ts';

export const createTag = z.object(shapesOf(tagFields, 'create'));

export const updateTag = z.object(shapesOf(tagFields, 'update'));

export const tagFilter = z.object({
  /** Substring of the name, without regard to case. */
  search: text().nullish(),
  /** Those tags alone; an empty list gives none. */
  ids: referredIds.nullish(),
});
