import { invalid } from '../kernel/errors.ts';
import { keyBetween } from '../kernel/sort-key.ts';

/**
 * Where a section is to go, by the sort keys of its neighbours to be (contract, 4.3): undefined where
 * nothing is said about that side, null for the end of the list.
 */
export interface Neighbours {
  prevIndex?: string | null | undefined;
  nextIndex?: string | null | undefined;
}

/**
 * Finds the place for a section among the project's other sections.
 * @param others the sort keys of the other sections, in order
 * @param own the section's present key, if it is in that project: it may be named as its own neighbour
 * @returns how many of the others come before it; all of them if no neighbour is given
 * @throws VALIDATION_FAILED for neighbours that are not there or not in that order
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
    throw invalid('prevIndex', 'and nextIndex can both be null only where there is no other section');
  }
  if (typeof prevIndex === 'string') return others.filter((key) => key <= prevIndex).length;
  if (prevIndex === null) return 0;
  if (typeof nextIndex === 'string') return others.filter((key) => key < nextIndex).length;
  return others.length;
}

/**
 * Picks the key for that place: the present one if it is already in that place.
 * @returns null where no key fits: the list needs new ones
 */
export function keyAt(others: readonly string[], place: number, own: string | null): string | null {
  const before = others[place - 1] ?? null;
  const after = others[place] ?? null;
  const stands = own !== null && (before === null || before < own) && (after === null || own < after);
  return stands ? own : keyBetween(before, after);
}
