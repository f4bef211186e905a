import { useLayoutEffect, useMemo, useState } from 'preact/hooks';
import { type Replica, type Task, tasks } from 'taskgate-client';
import { useQuery } from '../app/replica.ts';
import { theReplica } from '../app/session.ts';
import type { WordIndex } from '../search/search.ts';
import { ShownTitle } from '../tasks/shown-title.ts';
import { TaskList } from '../tasks/task-list.tsx';
import { isOpenSince, useOpenedAt } from '../tasks/visible.ts';
import { texts } from '../texts.ts';
import { NotLoaded, useModule } from '../ui/lazy.tsx';
import { FoundLinks, useFoundLinks } from './found-links.tsx';

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
function useRead(index: WordIndex<Task> | undefined): readonly Task[] | undefined {
  const all = useQuery(tasks.all);
  const [read, setRead] = useState<readonly Task[]>();
  useLayoutEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const goOn = () => {
      if (index?.read(all, performance.now() + sliceMs)) setRead(all);
      else timer = setTimeout(goOn);
    };
    if (index) goOn();
    return () => clearTimeout(timer);
  }, [index, all]);
  return read;
}

/** Searches the replica, which needs no network. */
export function Found({ text }: { text: string }) {
  const { module: search, retry } = useModule(loadSearch);
  const index = search && indexOf(theReplica(), search);
  const read = useRead(index);
  const isReady = read !== undefined;
  const asked = useMemo(() => (isReady && search?.wordsOf(text)) || [], [isReady, text]);
  const openedAt = useOpenedAt(text);
  const found = useMemo(() => {
    const all = index && read ? index.find(read, asked) : [];
    const isOpen = isOpenSince(openedAt);
    return [...all.filter(isOpen), ...all.filter((task) => !isOpen(task))];
  }, [read, asked]);
  const groups = useFoundLinks(search, asked);
  const mark = useMemo(
    () => (title: string) => {
      const parts = search?.partsOf(title, asked) ?? [];
      return parts.some(({ isMatch }) => isMatch)
        ? parts.map((part) => (part.isMatch ? <mark>{part.text}</mark> : part.text))
        : title;
    },
    [asked],
  );
  return (
    <ShownTitle.Provider value={mark}>
      <h1>{texts.search}</h1>
      <p class="subtitle" role="status">
        {asked.length === 0
          ? texts.searchHint
          : texts.found(
              found.length,
              groups.map(({ count }) => count),
            )}
      </p>
      {retry && <NotLoaded retry={retry} />}
      <FoundLinks groups={groups} />
      {groups.length > 0 && found.length > 0 && <h2>{texts.tasks}</h2>}
      <TaskList tasks={found} showsProject />
    </ShownTitle.Provider>
  );
}
