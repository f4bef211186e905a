import { useLayoutEffect, useState } from 'preact/hooks';
import { type Task, tasks } from 'taskgate-client';
import { useQuery } from '../app/replica.ts';
import type { WordIndex } from './word-index.ts';

/** Indexing time before keys and frames get a chance. */
const sliceMs = 4;

/** Returns the previous list until the index has read the tasks. */
export function useIndexedTasks(index: WordIndex<Task> | undefined): readonly Task[] | undefined {
  const all = useQuery(tasks.all);
  const [indexedTasks, setIndexedTasks] = useState<readonly Task[]>();
  useLayoutEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const readSlice = () => {
      if (index?.read(all, performance.now() + sliceMs)) setIndexedTasks(all);
      else timer = setTimeout(readSlice);
    };
    if (index) readSlice();
    return () => clearTimeout(timer);
  }, [index, all]);
  return indexedTasks;
}
