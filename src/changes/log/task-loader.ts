import DataLoader from 'dataloader';
import { getOrMake } from '@taskgate/base';
import type { Selection } from '@taskgate/nested-read';
import { ResponseTooLarge } from '@taskgate/work';
import { findTasks, type LoadedTask, type TimedReader } from './data.ts';

/**
 * Loads changed tasks once for all receivers, with one statement per selection. The key includes filters: fields that
 * differ between viewers, such as tags, are not shared.
 */
export class TaskLoader {
  readonly #bySelection = new Map<string, DataLoader<string, LoadedTask | null>>();
  readonly #reader: TimedReader;

  constructor({ connections, budget }: TimedReader) {
    this.#reader = { connections, budget };
  }

  /** Null if the task is gone, or outside the spaces. */
  async load(id: string, query: Selection, spaceIds: readonly string[]): Promise<LoadedTask | null> {
    const loader = this.#loaderOf(query);
    const task = await loader.load(id).catch((error: unknown) => {
      loader.clear(id);
      throw error;
    });
    return task && spaceIds.includes(task.spaceId) ? task : null;
  }

  async #find(ids: readonly string[], query: Selection): Promise<ReadonlyMap<string, LoadedTask | Error>> {
    const loaded = new Map<string, LoadedTask | Error>();
    try {
      const tasks = await findTasks(this.#reader, ids, query);
      for (const task of tasks) loaded.set(task.id, task);
    } catch (error) {
      if (!(error instanceof ResponseTooLarge) || this.#reader.budget) throw error;
      // Each may fit alone.
      const [first = '', ...others] = ids;
      if (others.length === 0) return loaded.set(first, error);
      for (const id of ids) loaded.set(id, (await this.#find([id], query)).get(id) ?? error);
    }
    return loaded;
  }

  #loaderOf(query: Selection) {
    const find = async (ids: readonly string[]) => {
      const loaded = await this.#find(ids, query);
      return ids.map((id) => loaded.get(id) ?? null);
    };
    // A turn of the event loop gathers the receivers.
    const options = { maxBatchSize: 500, batchScheduleFn: (send: () => void) => void setImmediate(send) };
    return getOrMake(this.#bySelection, JSON.stringify(query), () => new DataLoader(find, options));
  }
}
