import { createHash } from 'node:crypto';
import { fromUUIDBytes, typeidUnboxed } from 'typeid-js';

/** Prefixes of the TypeIDs; the same string is the REST id and the GraphQL node id. */
export const idPrefixes = {
  Task: 'task',
  Project: 'proj',
  Section: 'sect',
  Tag: 'tag',
  User: 'user',
  Workspace: 'wksp',
  Invitation: 'invt',
  Session: 'sess',
  Delivery: 'dlvr',
} as const;

export type Entity = keyof typeof idPrefixes;

/** A new id, ordered by time within its entity (UUIDv7). */
export const newId = (entity: Entity): string => typeidUnboxed(idPrefixes[entity]);

/** The id of what has a name already: the same of the same name, in every process. */
export function namedId(entity: Entity, name: string): string {
  const bytes = createHash('sha256').update(name).digest();
  return fromUUIDBytes(idPrefixes[entity], bytes.subarray(0, 16));
}

/** The suffix of a TypeID: 128 bits in Crockford's base 32, in lower case (TypeID specification 0.3). */
const suffix = /^[0-7][0-9a-hjkmnp-tv-z]{25}$/;

/**
 * Whether the text can be the id of such an entity; what cannot is never looked up. It throws nothing within,
 * as the library's own reader does: a list of 30,000 bad ids would cost seconds.
 */
export function isId(entity: Entity, text: string): boolean {
  const prefix = `${idPrefixes[entity]}_`;
  return text.startsWith(prefix) && suffix.test(text.slice(prefix.length));
}

/** A suffix whose 128 bits are a UUIDv7: its version is in the tenth character after the first, its variant in the thirteenth (RFC 9562, 5.7). */
const suffixOfUuidV7 = /^.{10}[ef]..[89abrstv]/;

/** Whether the text can be the id of a new entity: an id that a client made as {@link newId} does. */
export const canBeNewId = (entity: Entity, text: string): boolean =>
  isId(entity, text) && suffixOfUuidV7.test(text.slice(idPrefixes[entity].length + 1));

/** What an id that a client chooses has to be. */
export const newIdRule = (entity: Entity) => `a TypeID of a UUIDv7 with the prefix ${idPrefixes[entity]}`;

/** Those of the texts that can be ids of such an entity, each once. */
export const onlyIds = (entity: Entity, texts: readonly string[]) => [
  ...new Set(texts.filter((text) => isId(entity, text))),
];

/** Rows in the order of their ids; those that have gone meanwhile are left out. */
export function inOrderOf<Row extends { id: string }>(ids: readonly string[], rows: readonly Row[]): Row[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

const idInText = new RegExp(`\\b(?:${Object.values(idPrefixes).join('|')})_[0-7][0-9a-hjkmnp-tv-z]{25}\\b`, 'g');

/** The ids that a text has anywhere, each once. */
export const idsIn = (text: string): string[] => [...new Set(text.match(idInText))];

/** The entity that an id names by its prefix. */
export function entityOfId(id: string): Entity | undefined {
  return (Object.keys(idPrefixes) as Entity[]).find((entity) => isId(entity, id));
}
