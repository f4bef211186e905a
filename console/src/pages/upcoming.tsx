import { useContext } from 'preact/hooks';
import { dueDay, select, tasks } from 'taskgate-client';
import { addDays, formatFullDay, today } from '../app/days.ts';
import { PageDisplay, useFiltered } from '../app/display.ts';
import { byDue, isDueAfter } from '../app/due.ts';
import { useQuery } from '../app/replica.ts';
import { AddInPlace } from '../tasks/add-in-place.tsx';
import { QuickAdd } from '../tasks/quick-add.tsx';
import { TaskList } from '../tasks/task-list.tsx';
import { isOpenSince, usePageDay } from '../tasks/visible.ts';
import { texts } from '../texts.ts';
import { DisplayButton } from './display-button.tsx';
import { Empty } from './empty.tsx';
import { Groups } from './groups.tsx';

/** Days that the page shows even if they are empty. */
const plannedDays = 14;

export function Upcoming() {
  const pageDayOf = usePageDay();
  const { group, showsCompleted } = useContext(PageDisplay);
  const allDue = useQuery(
    () =>
      select(tasks.all(), (all) =>
        all
          .filter((task) => {
            const { day, openedAt } = pageDayOf(task);
            return (showsCompleted || isOpenSince(openedAt)(task)) && isDueAfter(task, day);
          })
          .sort(byDue),
      ),
    [pageDayOf, showsCompleted],
  );
  const due = useFiltered(allDue);
  const byDay = Map.groupBy(due, (task) => dueDay(task) ?? '');
  const nextDays = Array.from({ length: plannedDays }, (_, index) => addDays(today.value, index + 1));
  return (
    <>
      <div class="heading">
        <h1>{texts.upcoming}</h1>
        <DisplayButton />
      </div>
      <QuickAdd defaults={{ dueDate: addDays(today.value, 1) }} />
      {group !== 'due' && <Groups tasks={due} defaults={{ dueDate: addDays(today.value, 1) }} />}
      {group === 'due' &&
        [...new Set([...nextDays, ...byDay.keys()])].sort().map((day) => (
          <section key={day} class="day" aria-label={formatFullDay(day)} data-drop={JSON.stringify({ dueDate: day })}>
            <h2>{formatFullDay(day)}</h2>
            <TaskList tasks={byDay.get(day) ?? []} showsProject headingDay={day} />
            <AddInPlace name={formatFullDay(day)} defaults={{ dueDate: day }} />
          </section>
        ))}
      {due.length === 0 && group !== 'due' && <Empty text={texts.nothingUpcoming} goTo="today" />}
    </>
  );
}
