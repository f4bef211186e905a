import { signal } from '@preact/signals';

/** Ids of the tasks whose subtasks are shown. A row that is rendered again stays as it was. */
export const expanded = signal<ReadonlySet<string>>(new Set());

/** Shows the subtasks of a task, or hides them. */
export function toggleSubtasks(id: string): void {
  const next = new Set(expanded.value);
  if (!next.delete(id)) next.add(id);
  expanded.value = next;
}

/** Shows the subtasks of a task. */
export const showSubtasks = (id: string): void => void (expanded.value = new Set([...expanded.value, id]));
