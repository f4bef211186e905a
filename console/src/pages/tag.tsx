import { useContext } from 'preact/hooks';
import { select, type TagColor, tags, tasks } from 'taskgate-client';
import { PageDisplay, useFiltered } from '../app/display.ts';
import { change, useQuery } from '../app/replica.ts';
import { go } from '../app/router.ts';
import { QuickAdd } from '../tasks/quick-add.tsx';
import { isOpenSince, useOpenedAt } from '../tasks/visible.ts';
import { texts } from '../texts.ts';
import { askName } from '../ui/dialog.tsx';
import { MoreButton } from '../ui/menu.tsx';
import { DisplayButton } from './display-button.tsx';
import { Empty } from './empty.tsx';
import { Groups } from './groups.tsx';
import { Missing } from './missing.tsx';

const colors: readonly TagColor[] = ['BLUE', 'GREEN', 'ORANGE', 'PINK', 'PURPLE', 'RED', 'YELLOW'];

export function TagPage({ id }: { id: string }) {
  const tag = useQuery(() => tags.byId(id), [id]);
  const openedAt = useOpenedAt(id);
  const { showsCompleted } = useContext(PageDisplay);
  const all = useQuery(
    () => select(tasks.byTag(id), (tagged) => tagged.filter((task) => showsCompleted || isOpenSince(openedAt)(task))),
    [id, openedAt, showsCompleted],
  );
  const list = useFiltered(all);
  if (!tag) return <Missing />;
  const rename = () => askName(tag.name, (name) => change('updateTag', { id, name }));
  const choices = [
    { text: texts.rename, choose: rename },
    ...colors.map((color) => ({ text: texts.colors[color], choose: () => change('updateTag', { id, color }) })),
    {
      text: texts.deleteTag,
      isDangerous: true,
      choose: () => {
        change('deleteTags', { ids: [id] });
        go('/today', { replace: true });
      },
    },
  ];
  return (
    <>
      <div class="heading">
        <h1 class={`tag-name ${tag.color.toLowerCase()}`} dir="auto">
          {tag.name}
        </h1>
        <DisplayButton />
        <MoreButton label={texts.tagMenu} items={() => choices} />
      </div>
      <QuickAdd defaults={{ tagIds: [id] }} />
      <Groups tasks={list} defaults={{ tagIds: [id] }} />
      {list.length === 0 && <Empty text={texts.nothingTagged} />}
    </>
  );
}
