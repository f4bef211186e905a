import type { Task } from 'taskgate-client';
import { formatFullDay, formatTime, today } from '../../app/days.ts';
import { Tick } from '../../tasks/tick.tsx';
import { texts } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';

export const DayTask = ({ task: { title, id, dueTime }, task }: { task: Task }) => (
  <>
    <Tick task={task} size="small" />
    {dueTime !== null && <time dateTime={dueTime}>{formatTime(dueTime)}</time>}
    <a class="title" href={`/tasks/${id}`} title={title} dir="auto" draggable={false}>
      {title}
    </a>
  </>
);

const isOnTask = ({ target }: MouseEvent) => target instanceof Element && target.closest('li, button') !== null;

const isNarrow = matchMedia('(width < 48rem)');

interface DayCellProps {
  readonly day: string;
  readonly isOtherMonth: boolean;
  readonly isCurrent: boolean;
  readonly readOnly: readonly string[];
  readonly tasks: readonly Task[];
  /** Number of lines that fit. */
  readonly capacity: number;
  readonly onOpen: (cell: HTMLElement, adds: boolean) => void;
}

export function DayCell({ day, isOtherMonth, isCurrent, readOnly, tasks, capacity, onOpen }: DayCellProps) {
  const shown = tasks.length > capacity ? tasks.slice(0, capacity - 1) : tasks;
  const hiddenCount = tasks.length - shown.length;
  return (
    <div
      role="gridcell"
      class={isOtherMonth ? 'outside' : undefined}
      aria-current={day === today.value ? 'date' : undefined}
      tabIndex={isCurrent ? 0 : -1}
      data-day={day}
      data-drop={JSON.stringify({ dueDate: day })}
      // The days of a phone are too narrow for titles.
      onClick={(event) => isNarrow.matches && !isOnTask(event) && onOpen(event.currentTarget, false)}
      onDblClick={(event) => isOnTask(event) || onOpen(event.currentTarget, true)}
    >
      <span class="number" aria-hidden="true">
        {Number(day.slice(8))}
      </span>
      <span class="hidden">{formatFullDay(day)}</span>
      <ul>
        {shown.map((task) => (
          <li
            key={task.id}
            class={task.completed ? 'completed' : undefined}
            data-task={task.id}
            draggable={!readOnly.includes(task.projectId)}
            tabIndex={-1}
          >
            <DayTask task={task} />
          </li>
        ))}
      </ul>
      {hiddenCount > 0 && (
        <Button
          text={(isNarrow.matches ? texts.moreTasksShort : texts.moreTasks)(hiddenCount)}
          aria-label={texts.moreTasks(hiddenCount)}
          class="quiet"
          onClick={({ currentTarget }) => onOpen(currentTarget.parentElement ?? currentTarget, false)}
        />
      )}
    </div>
  );
}
