import { z } from 'zod';
import { valuesOf } from '../kernel/fields.ts';
import { name, newEntityId, referredIds, text } from '../kernel/input.ts';
import { tagColor } from './fields.ts';

/** A null colour is an omitted one. */
export const createTag = z.object({
  id: newEntityId('Tag'),
  name: name(),
  color: z.enum(valuesOf(tagColor)).nullish(),
});

/** An absent or null field keeps its value. */
export const updateTag = z.object({ name: name().nullish(), color: z.enum(valuesOf(tagColor)).nullish() });

/** What a list of tags is narrowed to. */
export const tagFilter = z.object({
  /** Substring of the name, without regard to case. */
  search: text().nullish(),
  /** Those tags alone; an empty list gives none. */
  ids: referredIds.nullish(),
});
