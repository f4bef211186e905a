import { keyBetween } from '../platform/sort-key.ts';
import type { EntityDiff, Values } from './diffs.ts';

/** New sort keys of all tasks in a project, because no short key fitted. At most one task changes its place. */
export interface SortKeyRenewal {
  operationId: string;
  projectId: string;
  changes: { id: string; was: string; is: string }[];
}

const by = (key: 'was' | 'is') => (one: SortKeyRenewal['changes'][number], other: SortKeyRenewal['changes'][number]) =>
  one[key] < other[key] ? -1 : 1;

/** Omits the moved task, whose place in the order changes most. */
function withoutMoved(changes: SortKeyRenewal['changes']): SortKeyRenewal['changes'] {
  const sorted = changes.toSorted(by('was'));
  const indexes = new Map(changes.toSorted(by('is')).map(({ id }, index) => [id, index]));
  const distances = sorted.map(({ id }, index) => Math.abs((indexes.get(id) ?? index) - index));
  const most = distances.reduce((greatest, each) => Math.max(greatest, each), 0);
  return most === 0 ? sorted : sorted.toSpliced(distances.indexOf(most), 1);
}

/**
 * Translates the sort keys of diffs to present keys, which give the same order.
 * @param all renewals from the oldest to the newest; only later ones than the operation count
 */
export function translateSortKeys(
  { operationId, diffs }: { operationId: string; diffs: readonly EntityDiff[] },
  all: readonly SortKeyRenewal[],
  rows: ReadonlyMap<string, Values>,
): readonly EntityDiff[] {
  const renewals = all.filter((renewal) => renewal.operationId > operationId);
  if (renewals.length === 0) return diffs;
  const followed = diffs.map((diff) => ({ ...diff, before: { ...diff.before }, after: { ...diff.after } }));
  const keyed = followed.flatMap(({ id, before, after }) =>
    [before, after].flatMap((values) => {
      const project = values['project_id'] ?? before['project_id'] ?? rows.get(id)?.['project_id'];
      return typeof values['sort_key'] === 'string' ? [{ id, project, values }] : [];
    }),
  );
  const keyOf = ({ values }: (typeof keyed)[number]) => String(values['sort_key']);
  for (const { projectId, changes } of renewals) {
    const kept = withoutMoved(changes);
    const own = new Map(kept.map((change) => [`${change.id} ${change.was}`, change.is]));
    const within = keyed.filter(({ project }) => project === projectId);
    let [before, next]: [string | null, number] = [null, 0];
    // Both lists have the order of the former keys.
    for (const each of within.sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1))) {
      const was = keyOf(each);
      for (let change = kept[next]; change && change.was <= was; change = kept[(next += 1)]) before = change.is;
      const renewed = own.get(`${each.id} ${was}`);
      const is: string | null = renewed ?? keyBetween(before, kept[next]?.is ?? null);
      if (is === null) continue;
      each.values['sort_key'] = is;
      if (renewed === undefined) before = is;
    }
  }
  return followed;
}
