import { useEffect, useMemo, useReducer, useRef } from 'preact/hooks';
import type { Task } from 'taskgate-client';
import { today } from '../app/days.ts';

/** Tasks that are completed later stay in the list, which makes mistakes easy to undo. */
export const useOpenedAt = (page: string): string => useMemo(() => new Date().toISOString(), [page]);

export const isOpenSince =
  (openedAt: string) =>
  ({ completed, completedAt }: Task): boolean =>
    !completed || (completedAt !== null && completedAt >= openedAt);

interface Seen {
  readonly day: string;
  readonly openedAt: string;
}

const rowOf = (target: unknown) =>
  target instanceof Element ? target.closest<HTMLElement>('main .tasks > [data-task]')?.dataset['task'] : undefined;

/** Returns the day that a page shows to each task. At midnight, a focused row keeps the previous day until it loses the focus. */
export function useSeen(): (task: Task) => Seen {
  const day = today.value;
  const [, again] = useReducer((count: number) => count + 1, 0);
  const last = useRef<Seen>(undefined);
  const kept = useRef<{ readonly id: string | undefined; readonly seen: Seen }>(undefined);
  const seen = useMemo(() => {
    const id = rowOf(document.activeElement);
    if (last.current && kept.current?.id !== id) kept.current = { id, seen: last.current };
    return (last.current = { day, openedAt: new Date().toISOString() });
  }, [day]);
  useEffect(() => {
    const release = ({ target }: FocusEvent) => {
      if (kept.current?.id === undefined || kept.current.id === rowOf(target)) return;
      kept.current = undefined;
      again(undefined);
    };
    document.addEventListener('focusin', release);
    return () => document.removeEventListener('focusin', release);
  }, []);
  const keptId = kept.current?.id;
  return useMemo(
    () =>
      ({ id }) =>
        kept.current?.id === id ? kept.current.seen : seen,
    [seen, keptId],
  );
}
