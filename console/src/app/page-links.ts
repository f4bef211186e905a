import { dueDay, projects, type Task, tasks } from 'taskgate-client';
import { texts } from '../texts.ts';
import { today } from './days.ts';
import { isDueAfter, isDueBy } from './due.ts';
import { pageOf, route } from './router.ts';
import { currentReplica } from './session.ts';

export interface PageLink {
  readonly path: string;
  readonly name: string;
}

/** Whether a page shows a task, by the first path segment. Tasks never leave pages without an entry. */
const pageFilters: Readonly<Record<string, (task: Task, id: string) => boolean>> = {
  today: (task) => isDueBy(task, today.value),
  upcoming: (task) => isDueAfter(task, today.value),
  calendar: (task) => dueDay(task) !== null,
  projects: ({ projectId }, id) => projectId === id,
  tags: ({ tagIds }, id) => tagIds.includes(id),
};

/** Whether a page shows a task or one of its parents. */
function isOnPage(path: string, task: Task): boolean {
  const [, page = '', id = ''] = path.split('/');
  const parent = task.parentId === null ? undefined : currentReplica().read(tasks.byId(task.parentId));
  return (pageFilters[page]?.(task, id) ?? true) || (parent !== undefined && isOnPage(path, parent));
}

function projectLink(id: string): PageLink | undefined {
  const project = currentReplica().read(projects.byId(id));
  return project && { path: `/projects/${id}`, name: project.isDefault ? texts.inbox : project.name };
}

/** Returns the task's new page if a change took it off the current one. @param before undefined for a new task */
export function newPageOf(before: Task | undefined, task: Task): PageLink | undefined {
  const path = pageOf(route.value).pathname;
  if (before?.projectId === task.projectId) {
    const day = dueDay(task);
    if (day === dueDay(before) || !isOnPage(path, before) || isOnPage(path, task)) return undefined;
    if (day === null) return projectLink(task.projectId);
    const page = day > today.value ? 'upcoming' : 'today';
    return { path: `/${page}`, name: texts[page] };
  }
  if (!before && isOnPage(path, task)) return undefined;
  const link = projectLink(task.projectId);
  return link?.path === path ? undefined : link;
}
