import { dueDay, select, tasks } from 'taskgate-client';
import { formatFullDay, today } from '../app/days.ts';
import { byDue, isDueBy } from '../app/due.ts';
import { useQuery } from '../app/replica.ts';
import { QuickAdd } from '../tasks/quick-add.tsx';
import { TaskList } from '../tasks/task-list.tsx';
import { isOpenSince, usePageDay } from '../tasks/visible.ts';
import { texts } from '../texts.ts';

export function Today() {
  const currentDay = today.value;
  const pageDayOf = usePageDay();
  const due = useQuery(
    () =>
      select(tasks.all(), (all) =>
        all
          .filter((task) => isOpenSince(pageDayOf(task).openedAt)(task) && isDueBy(task, pageDayOf(task).day))
          .sort(byDue),
      ),
    [pageDayOf],
  );
  const overdue = due.filter((task) => (dueDay(task) ?? '~') < pageDayOf(task).day);
  const dueToday = due.filter((task) => dueDay(task) === pageDayOf(task).day);
  return (
    <>
      <h1>{texts.today}</h1>
      {overdue.length === 0 && <p class="subtitle">{formatFullDay(currentDay)}</p>}
      <QuickAdd defaults={{ dueDate: currentDay }} />
      {overdue.length > 0 && (
        <section aria-label={texts.overdue}>
          <h2>{texts.overdue}</h2>
          <TaskList tasks={overdue} showsProject />
        </section>
      )}
      {overdue.length > 0 && <h2>{formatFullDay(currentDay)}</h2>}
      <TaskList tasks={dueToday} showsProject />
      {due.length === 0 && <p class="empty">{texts.nothingToday}</p>}
    </>
  );
}
