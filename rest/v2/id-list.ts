import { z } from 'zod';
import { maxListEntries, maxReferredIds } from '../../src/kernel/input.ts';
import { type JsonSchema, sentAs } from '../json-schema.ts';

const separate = (list: string) =>
  list
    .split(',')
    .map((id) => id.trim())
    .filter((id) => id !== '');

/** Ids of a query string: separated by commas, under the name several times, or both. */
const ids = z
  .union([z.string(), z.array(z.string())], { error: 'must be ids' })
  .transform((values) => [values].flat().flatMap(separate));

const listOfIds = (more: JsonSchema): JsonSchema => ({
  type: 'array',
  items: { type: 'string' },
  description: 'Separated by commas, or each as a parameter of this name, with or without `[]`.',
  ...more,
});

/** Ids that something is looked for by; may be none. */
export const filterIds = sentAs(ids, listOfIds({ maxItems: maxReferredIds }));

/** Ids of what is changed or deleted: at least one. */
export const requiredIds = sentAs(
  ids.refine((all) => all.length > 0, { error: 'must be ids, separated by commas' }),
  listOfIds({ minItems: 1, maxItems: maxListEntries }),
);
