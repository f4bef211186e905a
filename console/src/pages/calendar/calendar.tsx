import type { TargetedKeyboardEvent } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { dueDay, select, tasks } from 'taskgate-client';
import { addDays, firstOfMonth, formatMonth, formatWeekday, today, weeksOf } from '../../app/days.ts';
import { byDue } from '../../app/due.ts';
import { isPrinting } from '../../app/printing.ts';
import { useQuery } from '../../app/replica.ts';
import { readOnlyProjects } from '../../app/rights.ts';
import type { Defaults } from '../../tasks/new-task.ts';
import { useListed } from '../../tasks/visible.ts';
import { texts } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { IconButton } from '../../ui/icon.tsx';
import { DayCell } from './day-cell.tsx';
import { DayPopup } from './day-popup.tsx';

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

/** Returns the number of lines that fit in a day. */
function useCapacity(grid: { readonly current: HTMLElement | null }): number {
  const [capacity, setCapacity] = useState(2);
  useLayoutEffect(() => {
    const observer = new ResizeObserver(() => {
      const cell = grid.current?.querySelector('[role=gridcell]');
      if (!cell) return;
      const styles = getComputedStyle(cell);
      // The styles have the heights of the number and of a line in rem.
      const [number = 0, line = 1] = ['--number', '--line-height'].map((name) =>
        Number.parseFloat(styles.getPropertyValue(name)),
      );
      const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
      setCapacity(Math.max(1, Math.floor((cell.clientHeight / rem - number) / line)));
    });
    if (grid.current) observer.observe(grid.current);
    return () => observer.disconnect();
  }, []);
  return isPrinting.value ? Number.POSITIVE_INFINITY : capacity;
}

const dueIn = (projectId: string | undefined) =>
  select(projectId === undefined ? tasks.all() : tasks.byProject(projectId), (all) =>
    all.filter((task) => dueDay(task) !== null),
  );

/** @param projectId undefined for all projects @param defaults of new tasks; undefined if the user may add none */
export function Calendar({ projectId, defaults }: { projectId?: string; defaults?: Defaults | undefined }) {
  const [chosenDay, setDay] = useState<string>();
  const [opened, open] = useState<{ readonly cell: HTMLElement; readonly day: string; readonly adds: boolean }>();
  // Before a day is chosen, the calendar follows the clock.
  const day = chosenDay ?? today.value;
  const grid = useRef<HTMLDivElement>(null);
  const movesFocus = useRef(false);
  useLayoutEffect(() => {
    if (movesFocus.current) grid.current?.querySelector<HTMLElement>(`[data-day="${day}"]`)?.focus();
    movesFocus.current = false;
  }, [day]);
  const capacity = useCapacity(grid);
  const readOnly = useQuery(() => readOnlyProjects);
  const dueTasks = useListed(() => dueIn(projectId), projectId ?? '', byDue);
  const byDay = Map.groupBy(dueTasks, (task) => dueDay(task) ?? '');
  const weeks = weeksOf(day);
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLElement>) => {
    const cell = event.target as HTMLElement;
    if (cell.role !== 'gridcell') return;
    const next = dayAfterKey(event.key, day);
    if (event.key === 'Enter') open({ cell, day, adds: true });
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
        <Button text={texts.today} onClick={() => setDay(undefined)} />
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
              <DayCell
                key={each}
                day={each}
                isOtherMonth={each.slice(0, 7) !== day.slice(0, 7)}
                isCurrent={each === day}
                readOnly={readOnly}
                tasks={byDay.get(each) ?? []}
                capacity={capacity}
                onOpen={(cell, adds) => open({ cell, day: each, adds })}
              />
            ))}
          </div>
        ))}
      </div>
      {opened && (
        <DayPopup
          key={opened.day}
          {...opened}
          tasks={byDay.get(opened.day) ?? []}
          defaults={defaults}
          onClose={() => open(undefined)}
        />
      )}
    </div>
  );
}
