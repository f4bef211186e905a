import DataLoader from 'dataloader';
import { getOrMake } from '@taskgate/base';
import type { ReadBudget } from '@taskgate/postgres';
import type { Context } from './context.ts';

interface Loader {
  loader: DataLoader<unknown, unknown>;
  load: (keys: readonly never[]) => Promise<unknown[]>;
}

const loaders = new WeakMap<ReadBudget | Context, Map<string, Loader>>();

/**
 * Returns a loader that combines reads of the fields of an operation. It keeps no result, because a later mutation of
 * the document may change the rows. It reads with the latest `load`, because a mutation may change the viewer.
 * @param name everything that distinguishes `load` within the operation, as a JSON value
 */
export function loaderOf<Key, Result>(
  context: Context,
  name: unknown,
  load: (keys: readonly Key[]) => Promise<Result[]>,
): DataLoader<Key, Result> {
  const ofOperation = getOrMake(loaders, context.viewer?.budget ?? context, () => new Map<string, Loader>());
  const entry = getOrMake(ofOperation, JSON.stringify(name), (): Loader => {
    const made: Loader = {
      load,
      loader: new DataLoader((keys) => {
        made.loader.clearAll();
        return made.load(keys as never[]);
      }),
    };
    return made;
  });
  entry.load = load;
  return entry.loader as DataLoader<Key, Result>;
}

/** As {@link loaderOf}, of rows by their id. Null for ids without a row. */
export const rowLoader = <Row extends { id: string }>(
  context: Context,
  name: unknown,
  find: (ids: readonly string[]) => Promise<Row[]>,
): DataLoader<string, Row | null> =>
  loaderOf(context, name, async (ids: readonly string[]) => {
    const byId = new Map((await find(ids)).map((row) => [row.id, row]));
    return ids.map((id) => byId.get(id) ?? null);
  });
