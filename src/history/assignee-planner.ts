import type { Database } from '../platform/database.ts';
import { maxAssignees } from '../tasks/input.ts';
import { isSame, type Values, without } from './diffs.ts';
import type { Plan, Present } from './plan.ts';
import { findMembers } from './undo-data.ts';

const idsIn = (row: Values | undefined) => (row?.['assignee_ids'] ?? []) as readonly string[];

/** Removes from a plan whom it would assign to a task of a space that they have left, or beyond the maximum. */
export async function settleAssignees(
  tx: Database,
  { inserts, updates, conflicts }: Plan,
  now: Present['rows'],
): Promise<void> {
  const assigning = [...inserts, ...updates].flatMap(([id, row]) => {
    const added = without(idsIn(row), idsIn(now.get(id)));
    return added.length > 0 ? [{ id, row, added, spaceId: String(row['space_id']) }] : [];
  });
  if (assigning.length === 0) return;
  const members = await findMembers(tx, assigning);
  for (const { id, row, added, spaceId } of assigning) {
    const refuse = (ids: readonly string[], reason: string) => {
      row['assignee_ids'] = without(idsIn(row), ids);
      conflicts.push({ type: 'TASK', id, field: 'assignees', reason });
      if (!updates.has(id)) return;
      if (Object.keys(row).every((column) => isSame(column, row[column], now.get(id)?.[column]))) updates.delete(id);
    };
    const left = added.filter((userId) => !members.get(spaceId)?.has(userId));
    if (left.length > 0) refuse(left, 'an assignee is no longer a member of the space');
    if (idsIn(row).length > maxAssignees) refuse(added, `there would be more than ${maxAssignees} assignees`);
  }
}
