import { type Entity, references } from './schema.ts';

export type { Entity, Priority, Project, Section, Tag, TagColor, Task, User, ViewMode, Workspace } from './schema.ts';

/** Ids of what an entity belongs to, or carries. */
export const referencesOf = (entity: Entity): readonly string[] =>
  references[entity.__typename].flatMap(
    (name) => (entity as unknown as Record<string, string | readonly string[] | null>)[name] ?? [],
  );

/** Whether two values of JSON say the same. */
export function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  const [fields, others] = [Object.entries(a), b as Record<string, unknown>];
  return fields.length === Object.keys(b).length && fields.every(([name, value]) => isSame(value, others[name]));
}
