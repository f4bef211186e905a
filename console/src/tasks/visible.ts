import { useEffect, useMemo, useReducer, useRef } from 'preact/hooks';
import type { Task } from 'taskgate-client';
import { today } from '../app/days.ts';

/** Returns when the page was opened. Tasks that are completed later stay in the list, which makes mistakes easy to undo. */
export const useOpenedAt = (page: string): string => useMemo(() => new Date().toISOString(), [page]);

/** Whether a task was open when the page was opened, or is now. */
export const isOpenSince =
  (openedAt: string) =>
  ({ completed, completedAt }: Task): boolean =>
    !completed || (completedAt !== null && completedAt >= openedAt);

/** The day of a page, and when the page first showed it. */
interface Seen {
  readonly day: string;
  readonly openedAt: string;
}

const rowOf = (target: unknown) =>
  target instanceof Element ? target.closest<HTMLElement>('main .tasks > [data-task]')?.dataset['task'] : undefined;

/**
 * Returns the current day for each task of a page that groups tasks by day. At midnight, a focused row stays in its place: it keeps
 * the previous day until it loses the focus.
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
