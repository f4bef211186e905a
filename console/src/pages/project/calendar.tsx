import type { TargetedKeyboardEvent } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { dueDay, select, type Task, tasks } from 'taskgate-client';
import { addDays, firstOfMonth, formatFullDay, formatMonth, formatWeekday, today, weeksOf } from '../../app/days.ts';
import { useQuery } from '../../app/replica.ts';
import { useCanEdit } from '../../app/roles.ts';
import { Tick } from '../../tasks/tick.tsx';
import { isOpenSince, useOpenedAt } from '../../tasks/visible.ts';
import { texts } from '../../texts.ts';
import { IconButton } from '../../ui/icon.tsx';

/** ARIA Authoring Practices, Grid. */
const steps: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 };

/** Undefined for other keys. */
function dayAfterKey(key: string, day: string): string | undefined {
  const step = steps[key];
  if (step !== undefined) return addDays(day, step);
  if (key === 'PageUp' || key === 'PageDown') return firstOfMonth(day, key === 'PageUp' ? -1 : 1);
  const week = weeksOf(day).find((days) => days.includes(day));
  return { Home: week?.[0], End: week?.at(-1) }[key];
}

export function Calendar({ projectId }: { projectId: string }) {
  const [chosenDay, setDay] = useState<string>();
  // Before a day is chosen, the calendar follows the clock.
  const day = chosenDay ?? today.value;
  const grid = useRef<HTMLDivElement>(null);
  const movesFocus = useRef(false);
  useLayoutEffect(() => {
    if (movesFocus.current) grid.current?.querySelector<HTMLElement>(`[data-day="${day}"]`)?.focus();
    movesFocus.current = false;
  }, [day]);
  const isEditable = useCanEdit(projectId);
  const openedAt = useOpenedAt(projectId);
  const dueTasks = useQuery(
    () =>
      select(tasks.byProject(projectId), (all) =>
        all.filter((task) => isOpenSince(openedAt)(task) && dueDay(task) !== null),
      ),
    [projectId, openedAt],
  );
  const byDay = Map.groupBy(dueTasks, (task) => dueDay(task) ?? '');
  const weeks = weeksOf(day);
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLElement>) => {
    const cell = event.target as HTMLElement;
    if (cell.role !== 'gridcell') return;
    const next = dayAfterKey(event.key, day);
    if (event.key === 'Enter') cell.querySelector('a')?.focus();
    else if (next === undefined) return;
    else {
      movesFocus.current = true;
      setDay(next);
    }
    event.preventDefault();
  };
  return (
    <div class="calendar">
      <div class="months">
        <h2 aria-live="polite">{formatMonth(day)}</h2>
        <IconButton
          class="before"
          icon="chevron"
          label={texts.monthBefore}
          onClick={() => setDay(firstOfMonth(day, -1))}
        />
        <button type="button" onClick={() => setDay(undefined)}>
          {texts.today}
        </button>
        <IconButton icon="chevron" label={texts.monthAfter} onClick={() => setDay(firstOfMonth(day, 1))} />
      </div>
      <div
        role="grid"
        aria-label={formatMonth(day)}
        data-days
        ref={grid}
        onKeyDown={onKeyDown}
        onFocusIn={() => setDay(day)}
      >
        <div role="row" class="weekdays">
          {weeks[0]?.map((each) => (
            <span key={each} role="columnheader">
              {formatWeekday(each)}
            </span>
          ))}
        </div>
        {weeks.map((week) => (
          <div key={week[0]} role="row">
            {week.map((each) => (
              <Day
                key={each}
                day={each}
                isOtherMonth={each.slice(0, 7) !== day.slice(0, 7)}
                isCurrent={each === day}
                isEditable={isEditable}
                tasks={byDay.get(each) ?? []}
              />
            ))}
          </div>
        ))}
      </div>
    </div>
  );
}

interface DayProps {
  day: string;
  isOtherMonth: boolean;
  isCurrent: boolean;
  isEditable: boolean;
  tasks: readonly Task[];
}

const Day = ({ day, isOtherMonth, isCurrent, isEditable, tasks: list }: DayProps) => (
  <div
    role="gridcell"
    class={isOtherMonth ? 'outside' : undefined}
    aria-current={day === today.value ? 'date' : undefined}
    tabIndex={isCurrent ? 0 : -1}
    data-day={day}
    data-drop={JSON.stringify({ dueDate: day })}
  >
    <span class="number" aria-hidden="true">
      {Number(day.slice(8))}
    </span>
    <span class="hidden">{formatFullDay(day)}</span>
    <ul>
      {list.map((task) => (
        <li
          key={task.id}
          class={task.completed ? 'completed' : undefined}
          data-task={task.id}
          draggable={isEditable}
          tabIndex={-1}
        >
          <Tick task={task} size="small" />
          <a class="title" href={`/tasks/${task.id}`} dir="auto" draggable={false}>
            {task.title}
          </a>
        </li>
      ))}
    </ul>
  </div>
);
