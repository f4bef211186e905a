import { useContext } from 'preact/hooks';
import { dueDay, projects, select, tasks } from 'taskgate-client';
import { formatFullDay, today } from '../app/days.ts';
import { PageDisplay, useFiltered } from '../app/display.ts';
import { byDue, isDueBy } from '../app/due.ts';
import { useQuery } from '../app/replica.ts';
import { QuickAdd } from '../tasks/quick-add.tsx';
import { TaskList } from '../tasks/task-list.tsx';
import { isOpenSince, usePageDay } from '../tasks/visible.ts';
import { texts } from '../texts.ts';
import { DisplayButton } from './display-button.tsx';
import { Empty, GoToUpcoming, NewProject } from './empty.tsx';
import { Groups } from './groups.tsx';

export function Today() {
  const currentDay = today.value;
  const pageDayOf = usePageDay();
  const { group, showsCompleted } = useContext(PageDisplay);
  const hasProjects = useQuery(projects.all).length > 1;
  const allDue = useQuery(
    () =>
      select(tasks.all(), (all) =>
        all
          .filter((task) => {
            const { day, openedAt } = pageDayOf(task);
            const isListed = isOpenSince(openedAt)(task) || (showsCompleted && dueDay(task) === day);
            return isListed && isDueBy(task, day);
          })
          .sort(byDue),
      ),
    [pageDayOf, showsCompleted],
  );
  const due = useFiltered(allDue);
  const overdue = due.filter((task) => (dueDay(task) ?? '~') < pageDayOf(task).day);
  const dueToday = due.filter((task) => dueDay(task) === pageDayOf(task).day);
  return (
    <>
      <div class="heading">
        <h1>{texts.today}</h1>
        <DisplayButton />
      </div>
      {overdue.length === 0 && <p class="subtitle">{formatFullDay(currentDay)}</p>}
      <QuickAdd defaults={{ dueDate: currentDay }} />
      {group !== 'due' && <Groups tasks={due} />}
      {group === 'due' && overdue.length > 0 && (
        <section aria-label={texts.overdue}>
          <h2>{texts.overdue}</h2>
          <TaskList tasks={overdue} showsProject />
        </section>
      )}
      {group === 'due' && overdue.length > 0 && <h2>{formatFullDay(currentDay)}</h2>}
      {group === 'due' && <TaskList tasks={dueToday} showsProject />}
      {due.length === 0 && <Empty text={texts.nothingToday}>{hasProjects ? <GoToUpcoming /> : <NewProject />}</Empty>}
    </>
  );
}
