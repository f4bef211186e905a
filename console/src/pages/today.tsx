import { dueDay, select, tasks } from 'taskgate-client';
import { shownDayInFull, today } from '../app/days.ts';
import { useQuery } from '../app/replica.ts';
import { byDue, isDueBy } from '../tasks/due.ts';
import { QuickAdd } from '../tasks/quick-add.tsx';
import { TaskList } from '../tasks/task-list.tsx';
import { isOpenSince, useSeen } from '../tasks/visible.ts';
import { texts } from '../texts.ts';

export function Today() {
  const now = today.value;
  const seen = useSeen();
  const due = useQuery(
    () =>
      select(tasks.all(), (all) =>
        all.filter((task) => isOpenSince(seen(task).openedAt)(task) && isDueBy(task, seen(task).day)).sort(byDue),
      ),
    [seen],
  );
  const late = due.filter((task) => (dueDay(task) ?? '~') < seen(task).day);
  const current = due.filter((task) => dueDay(task) === seen(task).day);
  return (
    <>
      <h1>{texts.today}</h1>
      {late.length === 0 && <p class="subtitle">{shownDayInFull(now)}</p>}
      <QuickAdd defaults={{ dueDate: now }} />
      {late.length > 0 && (
        <section aria-label={texts.overdue}>
          <h2>{texts.overdue}</h2>
          <TaskList tasks={late} showsProject />
        </section>
      )}
      {late.length > 0 && <h2>{shownDayInFull(now)}</h2>}
      <TaskList tasks={current} showsProject />
      {due.length === 0 && <p class="empty">{texts.nothingToday}</p>}
    </>
  );
}
