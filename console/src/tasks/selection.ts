import { effect, signal } from '@preact/signals';
import { tasks } from 'taskgate-client';
import { canEdit } from '../app/roles.ts';
import { route } from '../app/router.ts';
import { currentReplica } from '../app/session.ts';
import { idsOfPage } from './window.tsx';

export const selection = signal<ReadonlySet<string>>(new Set());

/** Whether a tap on a row selects it. */
export const isSelecting = signal(false);

let anchor: string | undefined;

// Details open over the same page.
effect(() => {
  if (route.value.path.startsWith('/tasks/')) return;
  selection.value = new Set();
});

effect(() => {
  if (selection.value.size === 0) isSelecting.value = false;
});

export const deselectAll = (): void => void (selection.value = new Set());

const isEditable = (id: string): boolean => canEdit(currentReplica().read(tasks.byId(id))?.projectId ?? '');

export function toggle(id: string): void {
  if (!isEditable(id)) return;
  const next = new Set(selection.value);
  if (!next.delete(id)) next.add(id);
  anchor = id;
  selection.value = next;
}

/** Further taps select too. */
export function startSelecting(id: string): void {
  if (!selection.value.has(id)) toggle(id);
  isSelecting.value = selection.value.size > 0;
}

/** Selects the range from the last toggled task. */
export function selectTo(id: string): void {
  const ids = idsOfPage();
  const [from, to] = [ids.indexOf(anchor ?? id), ids.indexOf(id)].sort((a, b) => a - b);
  const range = ids.slice(Math.max(from ?? 0, 0), (to ?? 0) + 1);
  selection.value = new Set([...selection.value, ...range.filter(isEditable)]);
}
