import { log } from '../../kernel/logger.ts';
import { pruneBatch } from './data.ts';

/** What one batch of pruning deletes: some 20 ms at most. */
const limits = { oldest: 100, next: 20 };

/**
 * Forgets changes that are older than so many days, in small batches; writers never wait longer than for one.
 * @returns how many rows were deleted
 */
export async function pruneChanges(days: number): Promise<number> {
  let total = 0;
  for (let idle = 0; idle < 5;) {
    const { deleted, due } = await pruneBatch(days, limits);
    total += deleted;
    if (due === 0) break;
    // All spaces of the batch were held by writers: a few more tries, and the rest the next time.
    idle = deleted > 0 ? 0 : idle + 1;
  }
  if (total > 0) log.info({ rows: total }, 'old changes were pruned');
  return total;
}
