import type { Viewer } from '../kernel/context.ts';
import { invalid } from '../kernel/errors.ts';
import { parse } from '../kernel/input.ts';
import { maxFound, searchQuery } from './input.ts';
import { findIds } from './search-data.ts';

/**
 * Searches what the viewer may see; a typo or two in a word are forgiven.
 * @returns ids, best first, at most `first` of each kind
 * @throws VALIDATION_FAILED for a blank query or a bad number
 */
export async function search(viewer: Viewer, rawQuery: unknown, first: number) {
  const query = parse(searchQuery, rawQuery, 'query');
  if (first < 0 || first > maxFound) throw invalid('first', `must be 0 to ${maxFound}`);
  return findIds(viewer, query, first);
}

/** Rows in the order of the ids; those that have gone in the meantime are left out. */
export function inOrderOf<Row extends { id: string }>(ids: readonly string[], rows: readonly Row[]): Row[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}
