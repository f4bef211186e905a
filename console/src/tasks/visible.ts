import { useContext, useEffect, useMemo, useReducer, useRef } from 'preact/hooks';
import { type Query, select, type Task } from 'taskgate-client';
import { today } from '../app/days.ts';
import { PageDisplay, useFiltered } from '../app/display.ts';
import { useQuery } from '../app/replica.ts';

/** Tasks that are completed later stay in the list, which makes mistakes easy to undo. */
export const useOpenedAt = (page: string): string => useMemo(() => new Date().toISOString(), [page]);

export const isOpenSince =
  (openedAt: string) =>
  ({ completed, completedAt }: Task): boolean =>
    !completed || (completedAt !== null && completedAt >= openedAt);

/** The tasks of a page: open ones, those completed since it opened, and all if the user shows completed ones. @param page one opening of a page */
export function useListed(
  createQuery: () => Query<readonly Task[]>,
  page: string,
  order?: (a: Task, b: Task) => number,
): readonly Task[] {
  const openedAt = useOpenedAt(page);
  const { showsCompleted } = useContext(PageDisplay);
  const listed = useQuery(
    () =>
      select(createQuery(), (all) => {
        const list = all.filter((task) => showsCompleted || isOpenSince(openedAt)(task));
        return order ? list.sort(order) : list;
      }),
    [page, openedAt, showsCompleted],
  );
  return useFiltered(listed);
}

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
