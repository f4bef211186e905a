import { useContext } from 'preact/hooks';
import { dueDay, select, type Task, tasks } from 'taskgate-client';
import { formatFullDay, today } from '../app/days.ts';
import { PageDisplay, useFiltered } from '../app/display.ts';
import { byDue, isDueBy } from '../app/due.ts';
import { useQuery } from '../app/replica.ts';
import { readOnlyProjects } from '../app/rights.ts';
import { AddInPlace } from '../tasks/add-in-place.tsx';
import { nextDays, setDays } from '../tasks/bulk.ts';
import { QuickAdd } from '../tasks/quick-add.tsx';
import { TaskList } from '../tasks/task-list.tsx';
import { isOpenSince, usePageDay } from '../tasks/visible.ts';
import { texts } from '../texts.ts';
import { MenuButton } from '../ui/menu.tsx';
import { DisplayButton } from './display-button.tsx';
import { Empty } from './empty.tsx';
import { Groups } from './groups.tsx';

/** Absent if the user may change none of the tasks. */
function Reschedule({ tasks: all }: { tasks: readonly Task[] }) {
  const readOnly = useQuery(() => readOnlyProjects);
  const movable = all.filter(({ completed, projectId }) => !completed && !readOnly.includes(projectId));
  if (movable.length === 0) return null;
  return (
    <MenuButton
      text={texts.reschedule}
      class="quiet"
      items={() => nextDays().map(({ text, icon, day }) => ({ text, icon, choose: () => setDays(movable, day) }))}
    />
  );
}

export function Today() {
  const currentDay = today.value;
  const pageDayOf = usePageDay();
  const { group, showsCompleted } = useContext(PageDisplay);
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
      {group !== 'due' && <Groups tasks={due} defaults={{ dueDate: currentDay }} />}
      {group === 'due' && overdue.length > 0 && (
        <section aria-label={texts.overdue}>
          <div class="section-head">
            <h2>{texts.overdue}</h2>
            <Reschedule tasks={overdue} />
          </div>
          <TaskList tasks={overdue} showsProject />
        </section>
      )}
      {group === 'due' && (
        <section aria-label={formatFullDay(currentDay)} data-drop={JSON.stringify({ dueDate: currentDay })}>
          {overdue.length > 0 && <h2>{formatFullDay(currentDay)}</h2>}
          <TaskList tasks={dueToday} showsProject headingDay={currentDay} />
          <AddInPlace name={texts.today} defaults={{ dueDate: currentDay }} />
        </section>
      )}
      {due.length === 0 && <Empty text={texts.nothingToday} goTo="upcoming" />}
    </>
  );
}
