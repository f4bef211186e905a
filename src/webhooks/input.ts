import { z } from 'zod';
import { spaceIds } from '../accounts/input.ts';
import { codePoints, text } from '../platform/input.ts';
import { changedFields } from '../tasks/fields.ts';
import { webhookFields } from './fields.ts';

export const changeKinds = ['CREATED', 'UPDATED', 'DELETED'] as const;

const [maxUrl, maxEntries] = [2048, 100];

const some = <Entry extends z.ZodType>(entry: Entry) =>
  z
    .array(entry)
    .refine(({ length }) => length >= 1 && length <= maxEntries, { error: `must have 1 to ${maxEntries} entries` });

const address = text()
  .refine((value) => codePoints(value) <= maxUrl, { error: 'must be at most 2,048 characters long', abort: true })
  .refine((value) => isPlain(value), { error: 'must be a URL without user info and fragment' });

function isPlain(value: string): boolean {
  if (!URL.canParse(value) || value.includes('#')) return false;
  const { username, password } = new URL(value);
  return username === '' && password === '';
}

const kinds = some(z.enum(changeKinds));
const fields = some(z.enum(changedFields));
const maxChanges = webhookFields.maxChanges.shape;

export const createWebhook = z.object({
  url: address,
  kinds: kinds.nullish(),
  fields: fields.nullish(),
  spaceIds,
  maxChanges: maxChanges.nullish(),
});

/** Null means absent, except for `fields`. */
export const updateWebhook = z.object({
  url: address.nullish(),
  kinds: kinds.nullish(),
  fields: fields.nullish(),
  maxChanges: maxChanges.nullish(),
  enabled: z.boolean().nullish(),
  since: z.date().nullish(),
});
