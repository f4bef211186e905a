import { createHash } from 'node:crypto';
import { fromUUIDBytes, typeidUnboxed } from 'typeid-js';
import { entities, type EntityKind, entityKinds } from './entities.ts';

/** A new TypeID, ordered by time within its kind (UUIDv7): the same string is the REST id and the GraphQL node id. */
export const newId = (kind: EntityKind): string => typeidUnboxed(entities[kind].prefix);

/** The id of what has a name already: the same of the same name, in every process. */
export function namedId(kind: EntityKind, name: string): string {
  const bytes = createHash('sha256').update(name).digest();
  return fromUUIDBytes(entities[kind].prefix, bytes.subarray(0, 16));
}

/** The suffix of a TypeID: 128 bits in Crockford's base 32, in lower case (TypeID specification 0.3). */
const suffix = /^[0-7][0-9a-hjkmnp-tv-z]{25}$/;

/**
 * Whether the text can be the id of such a thing; what cannot is never looked up. It throws nothing within,
 * as the library's own reader does: a list of 30,000 bad ids would cost seconds.
 */
export function isId(kind: EntityKind, text: string): boolean {
  const prefix = `${entities[kind].prefix}_`;
  return text.startsWith(prefix) && suffix.test(text.slice(prefix.length));
}

/** A suffix whose 128 bits are a UUIDv7: its version is in the tenth character after the first, its variant in the thirteenth (RFC 9562, 5.7). */
const suffixOfUuidV7 = /^.{10}[ef]..[89abrstv]/;

/** Whether the text can be the id of a new entity: an id that a client made as {@link newId} does. */
export const canBeNewId = (kind: EntityKind, text: string): boolean =>
  isId(kind, text) && suffixOfUuidV7.test(text.slice(entities[kind].prefix.length + 1));

/** What an id that a client chooses has to be. */
export const newIdRule = (kind: EntityKind) => `a TypeID of a UUIDv7 with the prefix ${entities[kind].prefix}`;

/** Those of the texts that can be ids of such an entity, each once. */
export const onlyIds = (kind: EntityKind, texts: readonly string[]) => [
  ...new Set(texts.filter((text) => isId(kind, text))),
];

/** Rows in the order of their ids; those that have gone meanwhile are left out. */
export function inOrderOf<Row extends { id: string }>(ids: readonly string[], rows: readonly Row[]): Row[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

const prefixes = entityKinds.map((kind) => entities[kind].prefix);
const idInText = new RegExp(`\\b(?:${prefixes.join('|')})_[0-7][0-9a-hjkmnp-tv-z]{25}\\b`, 'g');

/** The ids that a text has anywhere, each once. */
export const idsIn = (text: string): string[] => [...new Set(text.match(idInText))];

/** The kind of entity that an id names by its prefix. */
export const kindOfId = (id: string): EntityKind | undefined => entityKinds.find((kind) => isId(kind, id));

/** Whether a text can be an idempotency key: 1 to 255 characters of printable ASCII. */
export const isIdempotencyKey = (text: string): boolean => /^[\x20-\x7e]{1,255}$/.test(text);
