import type { VNode } from 'preact';
import { useContext, useMemo, useRef } from 'preact/hooks';
import type { Task } from 'taskgate-client';
import { PageDisplay, sorted } from '../app/display.ts';
import { texts } from '../texts.ts';
import { TaskRow, type TaskRowProps } from './task-row.tsx';
import { Gap, useWindow } from './window.tsx';

/** @param isOrdered whether users can change the order */
export function TaskList({
  tasks: unsorted,
  isOrdered = false,
  showsProject = false,
  headingDay,
}: {
  tasks: readonly Task[];
  isOrdered?: boolean;
  showsProject?: boolean;
  /** The day of the heading, which rows do not repeat. */
  headingDay?: string | undefined;
}) {
  const list = useRef<HTMLUListElement>(null);
  const { sort } = useContext(PageDisplay);
  const tasks = useMemo(() => sorted(unsorted, sort), [unsorted, sort]);
  const ids = useMemo(() => tasks.map(({ id }) => id), [tasks]);
  const parts = useWindow(list, ids);
  const isWhole = parts.every((part) => typeof part === 'number');
  // Preact skips rows that are the same object as before.
  const rows = useMemo(() => new WeakMap<Task, VNode<TaskRowProps>>(), [showsProject, headingDay]);
  const rowOf = (task: Task, position: number) => {
    const total = isWhole ? undefined : tasks.length;
    const cached = rows.get(task);
    if (cached && cached.props.total === total && (isWhole || cached.props.position === position)) return cached;
    const row = <TaskRow key={task.id} {...{ task, showsProject, headingDay, position, total }} />;
    rows.set(task, row);
    return row;
  };
  return (
    <ul
      ref={list}
      class="tasks"
      aria-label={texts.tasks}
      data-ordered={isOrdered && sort === 'manual' ? '' : undefined}
      data-sorted={sort === 'manual' ? undefined : sort}
    >
      {parts.map((part) => {
        if (typeof part !== 'number') return <Gap key={part.name} {...part} />;
        const task = tasks[part];
        return task && rowOf(task, part + 1);
      })}
    </ul>
  );
}
