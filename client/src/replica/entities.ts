import { references } from './schema.ts';
import type { Entity } from './types.ts';

type Type = Entity['__typename'];

export type ReferenceOf<Of extends Type> = (typeof references)[Of][number];

export function idsIn(entity: Entity, field: ReferenceOf<Type>): readonly string[] {
  const ids = (entity as unknown as Record<string, string | readonly string[] | null>)[field] ?? [];
  return typeof ids === 'string' ? [ids] : ids;
}

export const referencesOf = (entity: Entity): readonly string[] =>
  references[entity.__typename].flatMap((field) => idsIn(entity, field));

/** Whether two JSON values are equal. */
export function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  const [left, right] = [a as Record<string, unknown>, b as Record<string, unknown>];
  const names = Object.keys(left);
  return names.length === Object.keys(right).length && names.every((name) => isSame(left[name], right[name]));
}
