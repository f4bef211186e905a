import { useComputed } from '@preact/signals';
import { useContext } from 'preact/hooks';
import { pending, select, type Task, tasks } from 'taskgate-client';
import { taskIdIn } from '../app/paths.ts';
import { isPrinting } from '../app/printing.ts';
import { idsOf, useQuery } from '../app/replica.ts';
import { useCanEdit } from '../app/roles.ts';
import { openTask, route } from '../app/router.ts';
import { texts } from '../texts.ts';
import { IconButton } from '../ui/icon.tsx';
import { MoreButton } from '../ui/menu.tsx';
import { expanded, toggleSubtasks } from './expanded.ts';
import { RenderTitle } from './render-title.ts';
import { isSelecting, selection, selectTo, toggle } from './selection.ts';
import { menuOf } from './task-actions.ts';
import { Facts } from './task-facts.tsx';
import { Tick } from './tick.tsx';

const unsent = select(pending, (entries) => new Set(entries.flatMap(({ variables }) => idsOf(variables))));

export interface TaskRowProps {
  readonly task: Task;
  readonly showsProject: boolean;
  readonly headingDay?: string | undefined;
  /** From 1. Set if some rows are not rendered. */
  readonly position?: number;
  readonly total?: number | undefined;
}

export function TaskRow({ task, showsProject, headingDay, position, total }: TaskRowProps) {
  const { id, title, completed, color } = task;
  const shown = useContext(RenderTitle)(title);
  const subtasks = useQuery(() => tasks.children(id), [id]);
  const isUnsent = useQuery(() => select(unsent, (ids) => ids.has(id)), [id]);
  const isEditable = useCanEdit(task.projectId);
  const isShown = useComputed(() => taskIdIn(route.value.path) === id);
  const isOpen = expanded.value.has(id) || isPrinting.value;
  const isSelected = selection.value.has(id);
  const onClick = (event: MouseEvent) => {
    if (!(event.metaKey || event.ctrlKey || event.shiftKey || isSelecting.value)) return;
    if (event.target instanceof Element && event.target.closest('input, button')) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.shiftKey) selectTo(id);
    else toggle(id);
  };
  return (
    <li
      data-task={id}
      data-selected={isSelected}
      aria-posinset={total && position}
      aria-setsize={total}
      aria-description={isSelected ? texts.selected : undefined}
      class={completed ? 'task completed' : 'task'}
      style={color === null ? undefined : { '--mark': color }}
      draggable={isEditable}
      tabIndex={-1}
    >
      <div class="row" onClick={onClick} onDblClick={() => openTask(id)}>
        {subtasks.length > 0 && (
          <IconButton
            class="expand"
            icon="chevron"
            label={texts.subtasksOf(title)}
            aria-expanded={isOpen}
            onClick={() => toggleSubtasks(id)}
          />
        )}
        <Tick task={task} />
        <div class="what">
          <a
            class="title"
            href={`/tasks/${id}`}
            aria-current={isShown.value ? 'true' : undefined}
            // Screen readers would split words at marks.
            aria-label={shown === title ? undefined : title}
            dir="auto"
            draggable={false}
          >
            {shown}
          </a>
          <Facts {...{ task, showsProject, headingDay, subtasks, isUnsent }} />
        </div>
        {isEditable && <MoreButton class="more" label={texts.more} items={() => menuOf(task)} />}
      </div>
      {isOpen && subtasks.length > 0 && (
        <ul class="subtasks">
          {subtasks.map((subtask) => (
            <TaskRow key={subtask.id} task={subtask} showsProject={false} />
          ))}
        </ul>
      )}
    </li>
  );
}
