import { useContext, useMemo } from 'preact/hooks';
import { tasks } from 'taskgate-client';
import { isFiltered, PageDisplay, useFiltered } from '../../app/display.ts';
import { useQuery } from '../../app/replica.ts';
import { isOpenSince, useOpenedAt } from '../../tasks/visible.ts';

/** The tasks that a project lists, and its older completed ones. A subtask is listed if a filter hides only its parent. */
export function useProjectTasks(projectId: string) {
  const display = useContext(PageDisplay);
  const openedAt = useOpenedAt(projectId);
  const all = useFiltered(useQuery(() => tasks.byProject(projectId), [projectId]));
  return useMemo(() => {
    const ids = new Set(isFiltered(display) ? all.map(({ id }) => id) : []);
    const top = all.filter(({ parentId }) => parentId === null || (isFiltered(display) && !ids.has(parentId)));
    const { true: listed = [], false: completed = [] } = Object.groupBy(top, (task) =>
      String(display.showsCompleted || isOpenSince(openedAt)(task)),
    );
    return { listed, completed };
  }, [all, display, openedAt]);
}
