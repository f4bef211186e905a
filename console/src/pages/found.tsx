import { select, tags, tasks } from 'taskgate-client';
import { useQuery } from '../app/replica.ts';
import { TaskList } from '../tasks/task-list.tsx';
import { texts } from '../texts.ts';

const most = 200;

/** What has all words of a text in its title, its description or a tag: here, so that it is found offline as well. */
export function Found({ text }: { text: string }) {
  const words = text.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  const labels = useQuery(tags.all);
  const names = new Map(labels.map(({ id, name }) => [id, name.toLocaleLowerCase()]));
  const found = useQuery(
    () =>
      select(tasks.all(), (all) => {
        if (words.length === 0) return [];
        const matching = all.filter(({ title, description, tagIds }) => {
          const content = [
            title.toLocaleLowerCase(),
            description?.toLocaleLowerCase() ?? '',
            ...tagIds.map((id) => names.get(id)),
          ].join('\n');
          return words.every((word) => content.includes(word));
        });
        return matching.sort((a, b) => Number(a.completed) - Number(b.completed)).slice(0, most);
      }),
    [text, labels],
  );
  return (
    <>
      <h1>{texts.search}</h1>
      <p class="subtitle" role="status">
        {words.length === 0 ? texts.searchHint : texts.found(found.length)}
      </p>
      <TaskList tasks={found} showsProject />
    </>
  );
}
