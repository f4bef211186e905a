/** Rows that one statement of pruning deletes: a few milliseconds, so that nobody waits long for it. */
const batchSize = 1000;

/**
 * Deletes in batches until one is not full.
 * @param deleteBatch deletes rows, as many as it is told at the most; answers how many there were
 * @returns how many in all
 */
export async function inBatches(deleteBatch: (limit: number) => Promise<number>): Promise<number> {
  for (let total = 0; ;) {
    const deleted = await deleteBatch(batchSize);
    total += deleted;
    if (deleted < batchSize) return total;
  }
}
