import { useState } from 'preact/hooks';
import { select, type Task, tasks } from 'taskgate-client';
import { addMonths, shownDayInFull, shownMonth, shownWeekday, today, weeksOf } from '../../app/days.ts';
import { useQuery } from '../../app/replica.ts';
import { complete } from '../../tasks/task-actions.ts';
import { isOpenSince, useOpenedAt } from '../../tasks/visible.ts';
import { texts } from '../../texts.ts';
import { Icon } from '../../ui/icon.tsx';

/** The project's tasks by their days, a month at a time: a task that is dragged to a day is due then. */
export function Calendar({ projectId }: { projectId: string }) {
  const now = today();
  const [month, setMonth] = useState(now);
  const openedAt = useOpenedAt(projectId);
  const due = useQuery(
    () =>
      select(tasks.byProject(projectId), (all) =>
        all.filter((task) => task.dueDate !== null && isOpenSince(openedAt)(task)),
      ),
    [projectId, openedAt],
  );
  const byDay = Map.groupBy(due, ({ dueDate }) => dueDate ?? '');
  const weeks = weeksOf(month);
  return (
    <div class="calendar">
      <div class="months">
        <h2 aria-live="polite">{shownMonth(month)}</h2>
        <button
          type="button"
          class="quiet before"
          aria-label={texts.monthBefore}
          onClick={() => setMonth(addMonths(month, -1))}
        >
          <Icon name="chevron" />
        </button>
        <button type="button" onClick={() => setMonth(now)}>
          {texts.today}
        </button>
        <button type="button" class="quiet" aria-label={texts.monthAfter} onClick={() => setMonth(addMonths(month, 1))}>
          <Icon name="chevron" />
        </button>
      </div>
      <div role="grid" aria-label={shownMonth(month)} data-days>
        <div role="row" class="weekdays">
          {weeks[0]?.map((day) => (
            <span key={day} role="columnheader">
              {shownWeekday(day)}
            </span>
          ))}
        </div>
        {weeks.map((week) => (
          <div key={week[0]} role="row">
            {week.map((day) => (
              <Day key={day} day={day} isOutside={day.slice(0, 7) !== month.slice(0, 7)} tasks={byDay.get(day) ?? []} />
            ))}
          </div>
        ))}
      </div>
    </div>
  );
}

const Day = ({ day, isOutside, tasks: list }: { day: string; isOutside: boolean; tasks: readonly Task[] }) => (
  <div
    role="gridcell"
    class={isOutside ? 'outside' : undefined}
    aria-current={day === today() ? 'date' : undefined}
    data-day={day}
    data-drop={JSON.stringify({ dueDate: day })}
  >
    <span class="number" aria-hidden="true">
      {Number(day.slice(8))}
    </span>
    <span class="hidden">{shownDayInFull(day)}</span>
    <ul>
      {list.map((task) => (
        <li key={task.id} class={task.completed ? 'completed' : undefined} data-task={task.id} draggable tabIndex={-1}>
          <input
            type="checkbox"
            class={`tick small ${task.priority?.toLowerCase() ?? ''}`}
            aria-label={task.title}
            checked={task.completed}
            onChange={() => complete(task)}
          />
          <a class="title" href={`/tasks/${task.id}`} dir="auto" draggable={false}>
            {task.title}
          </a>
        </li>
      ))}
    </ul>
  </div>
);
