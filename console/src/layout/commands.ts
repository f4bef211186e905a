import { useMemo } from 'preact/hooks';
import { projects, type Task, tasks } from 'taskgate-client';
import { useQuery } from '../app/replica.ts';
import { go, openTask } from '../app/router.ts';
import { currentReplica } from '../app/session.ts';
import { actions } from './actions.ts';
import { newProject, newTag, newWorkspace } from '../pages/new-entities.ts';
import { useSearchLinks } from '../pages/search-links.tsx';
import * as search from '../search/search.ts';
import { useIndexedTasks } from '../search/use-indexed-tasks.ts';
import { texts } from '../texts.ts';
import { type Command, taskCommands } from './task-commands.ts';

/** Per kind of command. */
const maxFound = 20;

/** The first of the same title has a key. */
const withoutRepeats = (commands: readonly Command[]) =>
  commands.filter(({ title }, index) => commands.findIndex((other) => other.title === title) === index);

function generalCommands(): readonly Command[] {
  const keyed = texts.keys.flatMap(([keys, title]): readonly Command[] => {
    const run = actions[keys];
    const icon = keys.startsWith('g') ? 'ArrowRight' : 'chevron';
    return typeof run === 'function' && keys !== 'Ctrl K' ? [{ title, keys, icon, run }] : [];
  });
  const pages = Object.entries(texts.pages).filter(([page]) => !['search', 'settings', 'tags'].includes(page));
  return withoutRepeats([
    ...keyed,
    ...pages.map(([page, name]) => ({
      title: texts.goTo(name),
      icon: 'ArrowRight' as const,
      run: () => go(`/${page}`),
    })),
    { title: texts.newProject, icon: 'plus', run: () => newProject(null) },
    { title: texts.newTag, icon: 'plus', run: newTag },
    { title: texts.newWorkspace, icon: 'plus', run: newWorkspace },
    ...Object.entries(texts.settingsPages).map(([page, title]) => ({
      ...{ title, description: texts.settings, icon: 'account' as const },
      run: () => go(`/settings/${page}`),
    })),
  ]);
}

const kinds = [
  [texts.projects, 'project', texts.types['PROJECT']],
  [texts.sections, 'list', texts.types['SECTION']],
  [texts.tags, 'tag', texts.types['TAG']],
] as const;

/** Projects, sections and tags. */
function useLinks(queryWords: readonly string[]): readonly Command[] {
  const groups = useSearchLinks(search, queryWords);
  return kinds.flatMap(([name, icon, kind]) => {
    const links = groups.find((group) => group.name === name)?.links ?? [];
    return links.slice(0, maxFound).map(({ title, to, color, project }) => ({
      ...{ title, icon, color, description: project ?? kind },
      run: () => go(to),
    }));
  });
}

function useTasks(queryWords: readonly string[]): readonly Command[] {
  const index = search.taskIndexOf(currentReplica());
  const indexedTasks = useIndexedTasks(index);
  const allProjects = useQuery(projects.all);
  const found = useMemo(() => index.find(indexedTasks ?? [], queryWords), [indexedTasks, queryWords]);
  const open = [...found.filter(({ completed }) => !completed), ...found.filter(({ completed }) => completed)];
  return open.slice(0, maxFound).map(({ id, title, projectId }) => ({
    ...{ title, icon: 'done', description: allProjects.find((project) => project.id === projectId)?.name },
    run: () => openTask(id),
  }));
}

/** Commands of the task come first. */
export function useCommands(task: Task | undefined, text: string): readonly Command[] {
  const id = task?.id ?? '';
  const current = useQuery(() => tasks.byId(id), [id]);
  const queryWords = useMemo(() => search.wordsOf(text), [text]);
  const fixed = useMemo(
    () => [current ? withoutRepeats(taskCommands(current)) : [], generalCommands()].map(createSearch),
    [current],
  );
  const links = useLinks(queryWords);
  const found = useTasks(queryWords);
  return [...fixed.flatMap((find) => find(queryWords)), ...links, ...found];
}

/** Without words, all are found. */
function createSearch(commands: readonly Command[]) {
  const index = new search.WordIndex<Command>();
  return (queryWords: readonly string[]) => (queryWords.length === 0 ? commands : index.find(commands, queryWords));
}
