import { createHash } from 'node:crypto';
import { fromUUIDBytes, typeidUnboxed } from 'typeid-js';
import { entities, type EntityKind, entityKinds } from './entities.ts';

/** Returns a TypeID of a UUIDv7. */
export const newId = (kind: EntityKind): string => typeidUnboxed(entities[kind].prefix);

/** Derives an id from a name, the same in every process. */
export function namedId(kind: EntityKind, name: string): string {
  const bytes = createHash('sha256').update(name).digest();
  return fromUUIDBytes(entities[kind].prefix, bytes.subarray(0, 16));
}

/** 128 bits in Crockford's base 32 (TypeID specification 0.3). */
const suffix = /^[0-7][0-9a-hjkmnp-tv-z]{25}$/;

/** The library's parser throws internally, which takes seconds for 30,000 bad ids. */
export function isId(kind: EntityKind, text: string): boolean {
  const prefix = `${entities[kind].prefix}_`;
  return text.startsWith(prefix) && suffix.test(text.slice(prefix.length));
}

/** Version and variant bits of a UUIDv7 (RFC 9562, 5.7). */
const suffixOfUuidV7 = /^.{10}[ef]..[89abrstv]/;

export const canBeNewId = (kind: EntityKind, text: string): boolean =>
  isId(kind, text) && suffixOfUuidV7.test(text.slice(entities[kind].prefix.length + 1));

export const newIdRule = (kind: EntityKind) => `a TypeID of a UUIDv7 with the prefix ${entities[kind].prefix}`;

export const onlyIds = (kind: EntityKind, texts: readonly string[]) => [
  ...new Set(texts.filter((text) => isId(kind, text))),
];

/** Skips ids without a row. */
export function sortByIds<Row extends { id: string }>(ids: readonly string[], rows: readonly Row[]): Row[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

const prefixes = entityKinds.map((kind) => entities[kind].prefix);
const idInText = new RegExp(`\\b(?:${prefixes.join('|')})_[0-7][0-9a-hjkmnp-tv-z]{25}\\b`, 'g');

export const idsIn = (text: string): string[] => [...new Set(text.match(idInText))];

export const kindOfId = (id: string): EntityKind | undefined => entityKinds.find((kind) => isId(kind, id));

export const idempotencyKeyForm = /^[\x20-\x7e]{1,255}$/;
export const idempotencyKeyRule = 'must have 1 to 255 characters of printable ASCII';

export const isIdempotencyKey = (text: string): boolean => idempotencyKeyForm.test(text);

/** Whether a text can be the fence of a claim. */
export const isFence = (text: string): boolean => /^\d{1,18}$/.test(text);
