import { dueDay, select, tasks } from 'taskgate-client';
import { addDays, formatFullDay, today } from '../app/days.ts';
import { byDue, isDueAfter } from '../app/due.ts';
import { useQuery } from '../app/replica.ts';
import { QuickAdd } from '../tasks/quick-add.tsx';
import { TaskList } from '../tasks/task-list.tsx';
import { isOpenSince, usePageDay } from '../tasks/visible.ts';
import { texts } from '../texts.ts';

export function Upcoming() {
  const pageDayOf = usePageDay();
  const due = useQuery(
    () =>
      select(tasks.all(), (all) =>
        all
          .filter((task) => isOpenSince(pageDayOf(task).openedAt)(task) && isDueAfter(task, pageDayOf(task).day))
          .sort(byDue),
      ),
    [pageDayOf],
  );
  const days = Map.groupBy(due, (task) => dueDay(task) ?? '');
  return (
    <>
      <h1>{texts.upcoming}</h1>
      <QuickAdd defaults={{ dueDate: addDays(today.value, 1) }} />
      {[...days].map(([day, list]) => (
        <section key={day} aria-label={formatFullDay(day)} data-drop={JSON.stringify({ dueDate: day })}>
          <h2>{formatFullDay(day)}</h2>
          <TaskList tasks={list} showsProject />
        </section>
      ))}
      {due.length === 0 && <p class="empty">{texts.nothingUpcoming}</p>}
    </>
  );
}
