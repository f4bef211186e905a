import { listKey } from './indexes.ts';
import { keyBetween } from './sort-key.ts';
import type { Section, Task } from './types.ts';
import type { Source } from './view.ts';

type Sortable = Task | Section;

/** Returns a key after the whole list. */
export function keyAtEnd(source: Source, listKey: string): string | null {
  const last = source.list(listKey).at(-1) as Sortable | undefined;
  return keyBetween(last?.sortKey ?? null, null);
}

/** Target of a move: after a sibling, or before one. */
interface TaskMove {
  readonly id: string;
  readonly after?: string | null;
  readonly before?: string | null;
}

/** Returns the changed sort keys; none if the target is missing. If no key fits, all tasks get new keys, as in the service. */
export function keysOfMove(source: Source, { id, after, before }: TaskMove): readonly (readonly [string, string])[] {
  const anchor = source.entity(after ?? before ?? '');
  if (anchor?.__typename !== 'Task') return [];
  const list = source.list(listKey('Task', 'projectId', anchor.projectId)) as readonly Task[];
  const others = list.filter((task) => task.id !== id);
  const position = others.indexOf(anchor) + (after == null ? 0 : 1);
  const key = keyBetween(others[position - 1]?.sortKey ?? null, others[position]?.sortKey ?? null);
  if (key !== null) return [[id, key]];
  const ids = others.map((task) => task.id).toSpliced(position, 0, id);
  let last: string | null = null;
  return ids.map((each) => [each, (last = keyBetween(last, null) ?? '')]);
}

/** Target of a section: another project, and its neighbours' sort keys. `prevIndex: null` is the start, `nextIndex: null` the end. */
export interface SectionMove {
  readonly id: string;
  readonly projectId?: string | null;
  readonly prevIndex?: string | null;
  readonly nextIndex?: string | null;
}

/** Null if the section does not move. */
export function keyOfSection(source: Source, { id, projectId, prevIndex, nextIndex }: SectionMove): string | null {
  const section = source.entity(id);
  if (section?.__typename !== 'Section') return null;
  const target = projectId ?? section.projectId;
  if (target === section.projectId && prevIndex === undefined && nextIndex === undefined) return null;
  const list = source.list(listKey('Section', 'projectId', target)) as readonly Section[];
  const keys = list.filter((other) => other.id !== id).map(({ sortKey }) => sortKey);
  let position = keys.length;
  if (prevIndex !== undefined) position = prevIndex === null ? 0 : keys.filter((key) => key <= prevIndex).length;
  else if (typeof nextIndex === 'string') position = keys.filter((key) => key < nextIndex).length;
  return keyBetween(keys[position - 1] ?? null, keys[position] ?? null);
}
