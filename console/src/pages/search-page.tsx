import { useMemo } from 'preact/hooks';
import { currentReplica } from '../app/session.ts';
import { useIndexedTasks } from '../search/use-indexed-tasks.ts';
import { RenderTitle } from '../tasks/render-title.ts';
import { TaskList } from '../tasks/task-list.tsx';
import { isOpenSince, useOpenedAt } from '../tasks/visible.ts';
import { texts } from '../texts.ts';
import { LoadFailure, useModule } from '../ui/lazy.tsx';
import { Empty } from './empty.tsx';
import { SearchLinks, useSearchLinks } from './search-links.tsx';

const loadSearch = () => import('../search/search.ts');
/** Searches the replica, which needs no network. */
export function SearchPage({ text }: { text: string }) {
  const { module: search, retry } = useModule(loadSearch);
  const index = search?.taskIndexOf(currentReplica());
  const indexedTasks = useIndexedTasks(index);
  const isReady = indexedTasks !== undefined;
  const queryWords = useMemo(() => (isReady && search?.wordsOf(text)) || [], [isReady, text]);
  const openedAt = useOpenedAt(text);
  const matches = useMemo(() => {
    const all = index && indexedTasks ? index.find(indexedTasks, queryWords) : [];
    const isOpen = isOpenSince(openedAt);
    return [...all.filter(isOpen), ...all.filter((task) => !isOpen(task))];
  }, [indexedTasks, queryWords]);
  const groups = useSearchLinks(search, queryWords);
  const markTitle = useMemo(
    () => (title: string) => {
      const parts = search?.partsOf(title, queryWords) ?? [];
      return parts.some(({ isMatch }) => isMatch)
        ? parts.map((part) => (part.isMatch ? <mark>{part.text}</mark> : part.text))
        : title;
    },
    [queryWords],
  );
  return (
    <RenderTitle.Provider value={markTitle}>
      <h1>{texts.search}</h1>
      <p class="subtitle" role="status">
        {queryWords.length === 0
          ? texts.searchHint
          : texts.found(
              matches.length,
              groups.map(({ count }) => count),
            )}
      </p>
      {retry && <LoadFailure retry={retry} />}
      <SearchLinks groups={groups} />
      {groups.length > 0 && matches.length > 0 && <h2>{texts.tasks}</h2>}
      <TaskList tasks={matches} showsProject />
      {isReady && queryWords.length > 0 && matches.length + groups.length === 0 && (
        <Empty text={texts.searchAgain} goTo="today" />
      )}
    </RenderTitle.Provider>
  );
}
