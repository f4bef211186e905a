import { maxComments } from '../comments/input.ts';
import type { Database } from '../platform/database.ts';
import type { Plan } from './plan.ts';
import { countComments } from './undo-data.ts';

/** Removes comments from a plan that would return to a task with the maximum number of them. */
export async function settleComments(tx: Database, { inserts, types, conflicts }: Plan): Promise<void> {
  const returning = [...inserts].flatMap(([id, row]) =>
    types.get(id) === 'COMMENT' ? [{ id, taskId: String(row['task_id']) }] : [],
  );
  if (returning.length === 0) return;
  const counts = await countComments(tx, [...new Set(returning.map(({ taskId }) => taskId))]);
  for (const { id, taskId } of returning) {
    const count = counts.get(taskId) ?? 0;
    if (count < maxComments) counts.set(taskId, count + 1);
    else {
      inserts.delete(id);
      conflicts.push({ type: 'COMMENT', id, field: 'task', reason: `it would have more than ${maxComments} comments` });
    }
  }
}
