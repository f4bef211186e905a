import { invalid } from '@taskgate/base';
import { keyBetween } from '../platform/sort-key.ts';

/** Sort keys of the new neighbours (contract, 4.3). Null means an end of the list. */
export interface Neighbours {
  prevIndex?: string | null | undefined;
  nextIndex?: string | null | undefined;
}

/**
 * Returns the number of other sections before the new position, by default all.
 * @param others sort keys in order
 * @param own current key in the same project, which may be its own neighbour
 * @throws VALIDATION_FAILED for unknown neighbours or a wrong order
 */
export function placeAmong(others: readonly string[], own: string | null, neighbours: Neighbours): number {
  const { prevIndex, nextIndex } = neighbours;
  for (const [path, key] of Object.entries({ prevIndex, nextIndex })) {
    if (typeof key === 'string' && key !== own && !others.includes(key)) {
      throw invalid(path, 'must be the sort key of a section of the project');
    }
  }
  if (typeof prevIndex === 'string' && typeof nextIndex === 'string' && prevIndex >= nextIndex) {
    throw invalid('prevIndex', 'must come before nextIndex');
  }
  if (prevIndex === null && nextIndex === null && others.length > 0) {
    throw invalid('prevIndex', 'and nextIndex can both be null only if there is no other section');
  }
  if (typeof prevIndex === 'string') return others.filter((key) => key <= prevIndex).length;
  if (prevIndex === null) return 0;
  if (typeof nextIndex === 'string') return others.filter((key) => key < nextIndex).length;
  return others.length;
}

/** Keeps the current key if it fits. Null if the list needs new keys. */
export function keyAt(others: readonly string[], place: number, own: string | null): string | null {
  const before = others[place - 1] ?? null;
  const after = others[place] ?? null;
  const fits = own !== null && (before === null || before < own) && (after === null || own < after);
  return fits ? own : keyBetween(before, after);
}
