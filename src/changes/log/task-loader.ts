import DataLoader from 'dataloader';
import { ResponseBudget, ResponseTooLarge } from '../../kernel/budget.ts';
import { getOrMake } from '../../kernel/group.ts';
import type { Selection } from '../../nested-read/read.ts';
import { findTasks, type LoadedTask } from './data.ts';

/**
 * Loads changed tasks once for all receivers of what was read from the log together: one statement for a
 * selection, however many tasks and receivers there are. The selection is a key as a whole, with the filters in
 * it: where it selects what differs between viewers (a task's tags are its reader's own), their filters differ and so
 * do their keys.
 */
export class TaskLoader {
  readonly #bySelection = new Map<string, DataLoader<string, LoadedTask | null>>();
  readonly #budget: ResponseBudget | undefined;

  /** @param budget of the one operation that it loads for; absent: each statement has its own budget */
  constructor(budget?: ResponseBudget) {
    this.#budget = budget;
  }

  /** @returns null where the task is gone, or lies in none of the given spaces */
  async load(id: string, query: Selection, spaceIds: readonly string[]): Promise<LoadedTask | null> {
    const loader = this.#loaderOf(query);
    const task = await loader.load(id).catch((error: unknown) => {
      loader.clear(id);
      throw error;
    });
    return task && spaceIds.includes(task.spaceId) ? task : null;
  }

  async #find(ids: readonly string[], query: Selection): Promise<ReadonlyMap<string, LoadedTask | Error>> {
    const found = new Map<string, LoadedTask | Error>();
    try {
      const tasks = await findTasks(ids, query, this.#budget ?? new ResponseBudget());
      for (const task of tasks) found.set(task.id, task);
    } catch (error) {
      if (!(error instanceof ResponseTooLarge) || this.#budget) throw error;
      // Together they are too large; but each fits by itself.
      const [first = '', ...others] = ids;
      if (others.length === 0) return found.set(first, error);
      for (const id of ids) found.set(id, (await this.#find([id], query)).get(id) ?? error);
    }
    return found;
  }

  #loaderOf(query: Selection) {
    const find = async (ids: readonly string[]) => {
      const found = await this.#find(ids, query);
      return ids.map((id) => found.get(id) ?? null);
    };
    // The receivers come to it one after another, each by its own steps: a turn of the loop gathers them.
    const options = { maxBatchSize: 500, batchScheduleFn: (send: () => void) => void setImmediate(send) };
    return getOrMake(this.#bySelection, JSON.stringify(query), () => new DataLoader(find, options));
  }
}
