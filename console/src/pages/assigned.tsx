import { select, tasks } from 'taskgate-client';
import { byDue } from '../app/due.ts';
import { useQuery } from '../app/replica.ts';
import { currentAccount } from '../app/session.ts';
import { TaskList } from '../tasks/task-list.tsx';
import { isOpenSince, useOpenedAt } from '../tasks/visible.ts';
import { texts } from '../texts.ts';

/** Tasks of all workspaces that are assigned to the user. */
export function Assigned() {
  const { id } = currentAccount();
  const openedAt = useOpenedAt('assigned');
  const list = useQuery(
    () => select(tasks.assignedTo(id), (all) => all.filter(isOpenSince(openedAt)).sort(byDue)),
    [id, openedAt],
  );
  return (
    <>
      <h1>{texts.myTasks}</h1>
      <TaskList tasks={list} showsProject />
      {list.length === 0 && <p class="empty">{texts.nothingAssigned}</p>}
    </>
  );
}
