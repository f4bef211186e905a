import { z } from 'zod';
import { sentAs } from '../json-schema.ts';

/** As a query string has it: separated by commas. */
const listOfIds = { type: 'array', items: { type: 'string' } } as const;

const separate = (list: string) =>
  list
    .split(',')
    .map((id) => id.trim())
    .filter((id) => id !== '');

/** Ids of a query string, separated by commas; may be none. */
export const separatedIds = sentAs(z.string().transform(separate), listOfIds);

/** Ids of a query string that must be there, separated by commas. */
export const requiredIds = sentAs(
  separatedIds.refine((ids) => ids.length > 0, { error: 'must be ids, separated by commas' }),
  { ...listOfIds, minItems: 1 },
);

/** Ids of a query string, as {@link gatherIds} leaves them; undefined where there is none: no filter. */
export const gatheredIds = z
  .array(z.string())
  .transform((values) => values.flatMap(separate))
  .transform((ids) => (ids.length > 0 ? ids : undefined))
  .optional();

/** Brings `ids=a&ids=b`, `ids[]=a&ids[]=b`, `ids[0]=a` and `ids=a,b` together as `ids` (contract decisions, Tags). */
export function gatherIds(query: unknown): unknown {
  const parameters = Object.entries(query as Record<string, string | string[]>);
  const isIds = (name: string) => /^ids(\[\d*\])?$/.test(name);
  const values = parameters.filter(([name]) => isIds(name)).flatMap(([, value]) => value);
  const others = Object.fromEntries(parameters.filter(([name]) => !isIds(name)));
  return { ...others, ...(values.length > 0 && { ids: values }) };
}
