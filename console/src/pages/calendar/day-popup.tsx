import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Task } from 'taskgate-client';
import { formatFullDay } from '../../app/days.ts';
import { LineField } from '../../tasks/line-field.tsx';
import type { Defaults } from '../../tasks/new-task.ts';
import { texts } from '../../texts.ts';
import { placeBeside } from '../../ui/menu.tsx';
import { DayTask } from './day-cell.tsx';

/** All tasks of a day, and a field for further ones. Escape and a click elsewhere close it. */
export function DayPopup({
  day,
  cell,
  adds,
  tasks,
  defaults,
  onClose,
}: {
  day: string;
  cell: HTMLElement;
  /** Whether the field gets the focus. */
  adds: boolean;
  tasks: readonly Task[];
  defaults: Defaults | undefined;
  onClose: () => void;
}) {
  const popup = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    cell.focus();
    popup.current?.showPopover();
    const field = adds ? popup.current?.querySelector<HTMLElement>('.quick-add input') : null;
    (field ?? popup.current)?.focus();
  }, []);
  useLayoutEffect(() => {
    if (popup.current) placeBeside(popup.current, cell);
  }, [tasks.length]);
  const close = () => popup.current?.hidePopover();
  return (
    <div
      ref={popup}
      popover="auto"
      role="dialog"
      aria-label={formatFullDay(day)}
      class="menu day-popup"
      tabIndex={-1}
      onToggle={({ newState }) => newState === 'closed' && onClose()}
      onClick={({ target }) => target instanceof Element && target.closest('a') && close()}
    >
      <h3>{formatFullDay(day)}</h3>
      <ul>
        {tasks.map((task) => (
          <li key={task.id} class={task.completed ? 'completed' : undefined}>
            <DayTask task={task} />
          </li>
        ))}
      </ul>
      {defaults && (
        <LineField
          label={texts.addTaskTo(formatFullDay(day))}
          defaults={{ ...defaults, dueDate: day }}
          onEscape={close}
        />
      )}
    </div>
  );
}
