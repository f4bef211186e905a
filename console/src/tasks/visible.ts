import { useEffect, useMemo, useReducer, useRef } from 'preact/hooks';
import type { Task } from 'taskgate-client';
import { today } from '../app/days.ts';

/** When a page was opened. Tasks that are completed later keep their place, so that a slip can be undone. */
export const useOpenedAt = (page: string): string => useMemo(() => new Date().toISOString(), [page]);

/** Whether a task is open, or was until the page was opened. */
export const isOpenSince =
  (openedAt: string) =>
  ({ completed, completedAt }: Task): boolean =>
    !completed || (completedAt !== null && completedAt >= openedAt);

/** The day that a page shows, and when that began. */
interface Seen {
  readonly day: string;
  readonly openedAt: string;
}

const rowOf = (target: unknown) =>
  target instanceof Element ? target.closest<HTMLElement>('main .tasks > [data-task]')?.dataset['task'] : undefined;

/**
 * The present day, for each task of a page that arranges tasks by their days. At midnight a row with the focus stays in
 * its place: it has the day before until the focus leaves it.
 */
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
