import DataLoader from 'dataloader';
import { getOrMake } from '@taskgate/base';
import type { ReadBudget } from '@taskgate/postgres';
import type { Context } from './context.ts';

const loaders = new WeakMap<ReadBudget | Context, Map<string, DataLoader<unknown, unknown>>>();

/**
 * Returns a loader that combines reads of the fields of an operation. It keeps no result, because a later mutation of
 * the document may change the rows.
 * @param name everything that distinguishes `load` within the operation, as a JSON value
 */
export function loaderOf<Key, Result>(
  context: Context,
  name: unknown,
  load: (keys: readonly Key[]) => Promise<Result[]>,
): DataLoader<Key, Result> {
  const ofOperation = getOrMake(loaders, context.viewer?.budget ?? context, () => new Map());
  const make = () => {
    const loader = new DataLoader<Key, Result>((keys) => {
      loader.clearAll();
      return load(keys);
    });
    return loader as DataLoader<unknown, unknown>;
  };
  return getOrMake(ofOperation, JSON.stringify(name), make) as DataLoader<Key, Result>;
}
