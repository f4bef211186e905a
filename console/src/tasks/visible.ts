import { useMemo } from 'preact/hooks';
import type { Task } from 'taskgate-client';

/** When a page was opened: what is ticked off since stays where it is, so that a slip can be mended. */
export const useOpenedAt = (page: string): string => useMemo(() => new Date().toISOString(), [page]);

/** Whether a task is open, or was until the page was opened. */
export const isOpenSince =
  (openedAt: string) =>
  ({ completed, completedAt }: Task): boolean =>
    !completed || (completedAt !== null && completedAt >= openedAt);
