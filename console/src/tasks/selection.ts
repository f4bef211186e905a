import { effect, signal } from '@preact/signals';
import { route } from '../app/router.ts';
import { idsOfPage } from './window.tsx';

/** Ids of the tasks that are selected. */
export const selection = signal<ReadonlySet<string>>(new Set());

/** Where a range begins. */
let anchor: string | undefined;

// Another page has other tasks.
effect(() => {
  if (route.value.path.startsWith('/tasks/')) return;
  selection.value = new Set();
});

export const deselectAll = (): void => void (selection.value = new Set());

/** Selects a task, or takes it out. */
export function toggle(id: string): void {
  const next = new Set(selection.value);
  if (!next.delete(id)) next.add(id);
  anchor = id;
  selection.value = next;
}

/** Selects all between the last one and this one, as they are shown. */
export function selectTo(id: string): void {
  const ids = idsOfPage();
  const [from, to] = [ids.indexOf(anchor ?? id), ids.indexOf(id)].sort((a, b) => a - b);
  selection.value = new Set([...selection.value, ...ids.slice(Math.max(from ?? 0, 0), (to ?? 0) + 1)]);
}
