import type { Replica, Task } from 'taskgate-client';
import { WordIndex } from './word-index.ts';

/** The search page and the palette load this module when they first open. */
export { partsOf } from './parts.ts';
export { WordIndex } from './word-index.ts';
export { wordsOf } from './words.ts';

const taskIndexes = new WeakMap<Replica, WordIndex<Task>>();

export function taskIndexOf(replica: Replica): WordIndex<Task> {
  const index = taskIndexes.get(replica) ?? new WordIndex<Task>();
  taskIndexes.set(replica, index);
  return index;
}
