import { type TagColor, tags, tasks } from 'taskgate-client';
import { change, useQuery } from '../app/replica.ts';
import { go } from '../app/router.ts';
import { QuickAdd } from '../tasks/quick-add.tsx';
import { useListed } from '../tasks/visible.ts';
import { texts } from '../texts.ts';
import { MoreButton } from '../ui/menu.tsx';
import { renameItem } from '../ui/rename-item.ts';
import { DisplayButton } from './display-button.tsx';
import { Empty } from './empty.tsx';
import { Groups } from './groups.tsx';
import { Missing } from './missing.tsx';

const colors: readonly TagColor[] = ['BLUE', 'GREEN', 'ORANGE', 'PINK', 'PURPLE', 'RED', 'YELLOW'];

export function TagPage({ id }: { id: string }) {
  const tag = useQuery(() => tags.byId(id), [id]);
  const list = useListed(() => tasks.byTag(id), id);
  if (!tag) return <Missing />;
  const choices = [
    renameItem(tag.name, (name) => change('updateTag', { id, name })),
    ...colors.map((color) => ({
      ...{ text: texts.colors[color], icon: 'tag' as const },
      choose: () => change('updateTag', { id, color }),
    })),
    {
      text: texts.deleteTag,
      icon: 'trash' as const,
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
      {list.length === 0 && <Empty text={texts.nothingTagged} goTo="today" />}
    </>
  );
}
