import DataLoader from 'dataloader';
import type { Where } from '../nested-read/conditions.ts';
import type { Context } from '../kernel/context.ts';
import { countTasks } from './data.ts';

type Counts = DataLoader<string, number>;

const loaders = new WeakMap<Context, Map<string, Counts>>();

/** Counts the tasks of many projects (or sections) under one filter by one statement an operation. */
export function countsOf(context: Context, owner: 'projectId' | 'sectionId', filter: Where): Counts {
  const ofContext = loaders.get(context) ?? new Map<string, Counts>();
  loaders.set(context, ofContext);
  const key = JSON.stringify([owner, filter]);
  const loader =
    ofContext.get(key) ??
    new DataLoader<string, number>(async (ids) => {
      const counts = await countTasks(owner, ids, filter, context.viewer?.budget?.signal);
      return ids.map((id) => counts.get(id) ?? 0);
    });
  ofContext.set(key, loader);
  return loader;
}
