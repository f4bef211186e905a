import { useEffect, useMemo, useReducer, useRef } from 'preact/hooks';
import type { Task } from 'taskgate-client';
import { today } from '../app/days.ts';

/** Tasks that are completed later stay in the list, which makes mistakes easy to undo. */
export const useOpenedAt = (page: string): string => useMemo(() => new Date().toISOString(), [page]);

export const isOpenSince =
  (openedAt: string) =>
  ({ completed, completedAt }: Task): boolean =>
    !completed || (completedAt !== null && completedAt >= openedAt);

interface PageDay {
  readonly day: string;
  readonly openedAt: string;
}

const rowIdOf = (target: unknown) =>
  target instanceof Element ? target.closest<HTMLElement>('main .tasks > [data-task]')?.dataset['task'] : undefined;

/** Returns the day that a page shows to each task. At midnight, a focused row keeps the previous day until it loses the focus. */
export function usePageDay(): (task: Task) => PageDay {
  const day = today.value;
  const [, rerender] = useReducer((count: number) => count + 1, 0);
  const lastPageDay = useRef<PageDay>(undefined);
  const pinnedRow = useRef<{ readonly id: string | undefined; readonly pageDay: PageDay }>(undefined);
  const pageDay = useMemo(() => {
    const id = rowIdOf(document.activeElement);
    if (lastPageDay.current && pinnedRow.current?.id !== id) pinnedRow.current = { id, pageDay: lastPageDay.current };
    return (lastPageDay.current = { day, openedAt: new Date().toISOString() });
  }, [day]);
  useEffect(() => {
    const release = ({ target }: FocusEvent) => {
      if (pinnedRow.current?.id === undefined || pinnedRow.current.id === rowIdOf(target)) return;
      pinnedRow.current = undefined;
      rerender(undefined);
    };
    document.addEventListener('focusin', release);
    return () => document.removeEventListener('focusin', release);
  }, []);
  const pinnedId = pinnedRow.current?.id;
  return useMemo(
    () =>
      ({ id }) =>
        pinnedRow.current?.id === id ? pinnedRow.current.pageDay : pageDay,
    [pageDay, pinnedId],
  );
}
