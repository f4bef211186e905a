import { signal } from '@preact/signals';
import { storage, store } from './storage.ts';

const storageKey = 'taskgate:folded';

/** Groups of "Lists" that the user has folded. */
export const folded = signal<readonly string[]>(JSON.parse(storage?.getItem(storageKey) ?? '[]') as readonly string[]);

export function toggleFolded(id: string): void {
  const others = folded.value.filter((each) => each !== id);
  folded.value = others.length < folded.value.length ? others : [...others, id];
  store(storageKey, JSON.stringify(folded.value));
}
