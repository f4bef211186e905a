import { select, tasks } from 'taskgate-client';
import { useFiltered } from '../app/display.ts';
import { useQuery } from '../app/replica.ts';
import { texts } from '../texts.ts';
import { DisplayButton } from './display-button.tsx';
import { Empty } from './empty.tsx';
import { Groups } from './groups.tsx';

const completedTasks = select(tasks.all(), (all) =>
  all.filter((task) => task.completed).sort((a, b) => ((a.completedAt ?? '') < (b.completedAt ?? '') ? 1 : -1)),
);

export function Completed() {
  const list = useFiltered(useQuery(() => completedTasks));
  return (
    <>
      <div class="heading">
        <h1>{texts.completedTasks}</h1>
        <DisplayButton offers={['sort', 'group']} />
      </div>
      <Groups tasks={list} />
      {list.length === 0 && <Empty text={texts.nothingCompleted} goTo="today" />}
    </>
  );
}
