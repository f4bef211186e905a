import { useLayoutEffect, useMemo, useState } from 'preact/hooks';
import { type Replica, type Task, tasks } from 'taskgate-client';
import { useQuery } from '../app/replica.ts';
import { currentReplica } from '../app/session.ts';
import type { WordIndex } from '../search/search.ts';
import { RenderTitle } from '../tasks/render-title.ts';
import { TaskList } from '../tasks/task-list.tsx';
import { isOpenSince, useOpenedAt } from '../tasks/visible.ts';
import { texts } from '../texts.ts';
import { LoadFailure, useModule } from '../ui/lazy.tsx';
import { SearchLinks, useSearchLinks } from './search-links.tsx';

const loadSearch = () => import('../search/search.ts');
type SearchModule = Awaited<ReturnType<typeof loadSearch>>;

/** Built at the first search. */
const indexes = new WeakMap<Replica, WordIndex<Task>>();

function indexOf(replica: Replica, { WordIndex }: SearchModule): WordIndex<Task> {
  const index = indexes.get(replica) ?? new WordIndex<Task>();
  indexes.set(replica, index);
  return index;
}

/** Indexing time before keys and frames get a chance. */
const sliceMs = 4;

/** Returns the previous list until the index has read the tasks. */
function useIndexedTasks(index: WordIndex<Task> | undefined): readonly Task[] | undefined {
  const all = useQuery(tasks.all);
  const [indexedTasks, setIndexedTasks] = useState<readonly Task[]>();
  useLayoutEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const readSlice = () => {
      if (index?.read(all, performance.now() + sliceMs)) setIndexedTasks(all);
      else timer = setTimeout(readSlice);
    };
    if (index) readSlice();
    return () => clearTimeout(timer);
  }, [index, all]);
  return indexedTasks;
}

/** Searches the replica, which needs no network. */
export function SearchPage({ text }: { text: string }) {
  const { module: search, retry } = useModule(loadSearch);
  const index = search && indexOf(currentReplica(), search);
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
    </RenderTitle.Provider>
  );
}
