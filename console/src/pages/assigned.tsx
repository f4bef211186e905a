import { tasks } from 'taskgate-client';
import { byDue } from '../app/due.ts';
import { currentAccount } from '../app/session.ts';
import { useListed } from '../tasks/visible.ts';
import { texts } from '../texts.ts';
import { DisplayButton } from './display-button.tsx';
import { Empty } from './empty.tsx';
import { Groups } from './groups.tsx';

/** Tasks of all workspaces that are assigned to the user. */
export function Assigned() {
  const { id } = currentAccount();
  const list = useListed(() => tasks.assignedTo(id), id, byDue);
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
