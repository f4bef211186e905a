import { signal } from '@preact/signals';

export const expanded = signal<ReadonlySet<string>>(new Set());

export function toggleSubtasks(id: string): void {
  const next = new Set(expanded.value);
  if (!next.delete(id)) next.add(id);
  expanded.value = next;
}

export const showSubtasks = (id: string): void => void (expanded.value = new Set([...expanded.value, id]));
