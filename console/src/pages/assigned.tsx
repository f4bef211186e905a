import { useContext } from 'preact/hooks';
import { select, tasks } from 'taskgate-client';
import { PageDisplay, useFiltered } from '../app/display.ts';
import { byDue } from '../app/due.ts';
import { useQuery } from '../app/replica.ts';
import { currentAccount } from '../app/session.ts';
import { isOpenSince, useOpenedAt } from '../tasks/visible.ts';
import { texts } from '../texts.ts';
import { DisplayButton } from './display-button.tsx';
import { Empty } from './empty.tsx';
import { Groups } from './groups.tsx';

/** Tasks of all workspaces that are assigned to the user. */
export function Assigned() {
  const { id } = currentAccount();
  const openedAt = useOpenedAt('assigned');
  const { showsCompleted } = useContext(PageDisplay);
  const all = useQuery(
    () =>
      select(tasks.assignedTo(id), (all) =>
        all.filter((task) => showsCompleted || isOpenSince(openedAt)(task)).sort(byDue),
      ),
    [id, openedAt, showsCompleted],
  );
  const list = useFiltered(all);
  return (
    <>
      <div class="heading">
        <h1>{texts.myTasks}</h1>
        <DisplayButton />
      </div>
      <Groups tasks={list} />
      {list.length === 0 && <Empty text={texts.nothingAssigned} goTo="today" />}
    </>
  );
}
