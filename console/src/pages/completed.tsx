import { select, tasks } from 'taskgate-client';
import { useQuery } from '../app/replica.ts';
import { TaskList } from '../tasks/task-list.tsx';
import { texts } from '../texts.ts';

const completedTasks = select(tasks.all(), (all) =>
  all.filter((task) => task.completed).sort((a, b) => ((a.completedAt ?? '') < (b.completedAt ?? '') ? 1 : -1)),
);

export function Completed() {
  const list = useQuery(() => completedTasks);
  return (
    <>
      <h1>{texts.completedTasks}</h1>
      <TaskList tasks={list} showsProject />
      {list.length === 0 && <p class="empty">{texts.nothingCompleted}</p>}
    </>
  );
}
