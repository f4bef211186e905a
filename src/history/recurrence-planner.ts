import type { Database } from '../platform/database.ts';
import { isSame, type Values } from './diffs.ts';
import type { Plan, Present } from './plan.ts';
import { findRivals } from './undo-data.ts';

const repeats = (row: Values | undefined): row is Values & { recurrence: { seriesId: string } } =>
  row?.['recurrence'] != null && row['completed'] === false;

/**
 * Removes recurrences from a plan. A series has one open occurrence, and no repeating task is below another. Each case
 * is a conflict.
 */
export async function settleRecurrences(
  tx: Database,
  { inserts, updates, deletes, types, conflicts }: Plan,
  now: Present['rows'],
): Promise<void> {
  const planned = new Map([...updates, ...inserts]);
  const rows = new Map([...now, ...planned]);
  const parentOf = (id: string) => (rows.get(id)?.['parent_id'] ?? null) as string | null;
  /** The task, and all above it. */
  const pathOf = (id: string | null): string[] => (id === null ? [] : [id, ...pathOf(parentOf(id))]);
  const isMoved = (id: string) => planned.has(id) && now.get(id)?.['parent_id'] !== parentOf(id);
  const candidates = [...rows].flatMap(([id, row]) => {
    const present = now.get(id);
    if (!repeats(row) || deletes.has(id)) return [];
    const isAsNow = repeats(present) && present.recurrence.seriesId === row.recurrence.seriesId;
    return isAsNow && !pathOf(id).some(isMoved) ? [] : [{ id, row }];
  });
  if (candidates.length === 0) return;
  const asked = candidates.map(({ id, row }) => ({ id, parentId: parentOf(id), seriesId: row.recurrence.seriesId }));
  const rivals = new Map((await findRivals(tx, asked)).map((each) => [each.id, each]));
  const stays = (id: string) => !deletes.has(id) && (!rows.has(id) || repeats(rows.get(id)));
  const open = new Set<string>();
  for (const { id, row } of candidates) {
    const { seriesId } = row.recurrence;
    const { ofSeries = [], around = [] } = rivals.get(id) ?? {};
    const isSecond = open.has(seriesId) || ofSeries.some(stays);
    // Unread rows keep their place, and the rivals include the repeating ones.
    const path = pathOf(id).filter((each) => rows.has(each));
    // A planned move takes the task away from some, and brings it to others.
    const near = around.filter((other) => pathOf(other).includes(id) || ![...path, ...pathOf(other)].some(isMoved));
    if (!isSecond && ![...path.slice(1), ...near].some(stays)) {
      open.add(seriesId);
      continue;
    }
    const reason = isSecond ? 'the series has another open occurrence' : 'a task above or below repeats';
    conflicts.push({ type: 'TASK', id, field: 'recurrence', reason });
    const ended: Values = { ...row, recurrence: null };
    const present = now.get(id);
    rows.set(id, ended);
    types.set(id, 'TASK');
    if (inserts.has(id)) inserts.set(id, ended);
    else if (Object.keys(ended).some((column) => !isSame(column, ended[column], present?.[column])))
      updates.set(id, ended);
    else updates.delete(id);
  }
}
