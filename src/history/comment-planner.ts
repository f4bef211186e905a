import { maxComments } from '../comments/input.ts';
import type { Database } from '../platform/database.ts';
import { leaveDeleted, type Plan } from './plan.ts';
import { countComments } from './undo-data.ts';

/** Removes comments from a plan that would return to a task with the maximum number of them. */
export async function settleComments(tx: Database, plan: Plan): Promise<void> {
  const returning = [...plan.inserts].flatMap(([id, row]) =>
    plan.types.get(id) === 'COMMENT' ? [{ id, taskId: String(row['task_id']) }] : [],
  );
  if (returning.length === 0) return;
  const counts = await countComments(tx, [...new Set(returning.map(({ taskId }) => taskId))]);
  for (const { id, taskId } of returning) {
    const count = counts.get(taskId) ?? 0;
    if (count < maxComments) counts.set(taskId, count + 1);
    else leaveDeleted(plan, id, `its task would have more than ${maxComments} comments`);
  }
}
