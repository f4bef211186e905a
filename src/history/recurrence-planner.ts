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
  { inserts, updates, deletes, conflicts }: Plan,
  now: Present['rows'],
): Promise<void> {
  const planned = new Map([...updates, ...inserts]);
  const candidates = [...planned].flatMap(([id, row]) => {
    const present = now.get(id);
    if (!repeats(row)) return [];
    const isMoved = present?.['parent_id'] !== row['parent_id'];
    const isAsNow = repeats(present) && present.recurrence.seriesId === row.recurrence.seriesId && !isMoved;
    return isAsNow ? [] : [{ id, row }];
  });
  if (candidates.length === 0) return;
  const asked = candidates.map(({ id, row }) => ({
    id,
    parentId: row['parent_id'] as string | null,
    seriesId: row.recurrence.seriesId,
  }));
  const rivals = new Map((await findRivals(tx, asked)).map((each) => [each.id, each]));
  const stays = (id: string) => !deletes.has(id) && (!planned.has(id) || repeats(planned.get(id)));
  const open = new Set<string>();
  for (const { id, row } of candidates) {
    const { seriesId } = row.recurrence;
    const { ofSeries = [], around = [] } = rivals.get(id) ?? {};
    const isSecond = open.has(seriesId) || ofSeries.some(stays);
    open.add(seriesId);
    if (!isSecond && !around.some(stays)) continue;
    const reason = isSecond ? 'the series has another open occurrence' : 'a task above or below repeats';
    conflicts.push({ type: 'TASK', id, field: 'recurrence', reason });
    (row as Values)['recurrence'] = null;
    const present = now.get(id);
    if (present && Object.keys(row).every((column) => isSame(column, row[column], present[column]))) updates.delete(id);
  }
}
