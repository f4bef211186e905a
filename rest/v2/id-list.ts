import { z } from 'zod';
import { maxListEntries, maxReferencedIds } from '../../src/platform/input.ts';
import { type JsonSchema, sentAs } from '../json-schema.ts';

const separate = (list: string) =>
  list
    .split(',')
    .map((id) => id.trim())
    .filter((id) => id !== '');

/** Separated by commas, repeated parameters, or both. */
const ids = z
  .union([z.string(), z.array(z.string())], { error: 'must be ids' })
  .transform((values) => [values].flat().flatMap(separate));

const listOfIds = (more: JsonSchema): JsonSchema => ({
  type: 'array',
  items: { type: 'string' },
  description: 'Separated by commas, or repeated as separate parameters, with or without `[]`.',
  ...more,
});

/** May be empty. */
export const filterIds = sentAs(ids, listOfIds({ maxItems: maxReferencedIds }));

/** At least one. */
export const requiredIds = sentAs(
  ids.refine((all) => all.length > 0, { error: 'must be ids, separated by commas' }),
  listOfIds({ minItems: 1, maxItems: maxListEntries }),
);
