import type { VNode } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Task } from 'taskgate-client';
import { texts } from '../texts.ts';
import { TaskRow } from './task-row.tsx';

/** Rows that are rendered at first, and with each frame as one scrolls to their end: so many that no frame takes long. */
const [firstRows, nextRows] = [60, 12];

/**
 * Tasks, one below the other.
 * @param isOrdered whether the order is the users' own, so that tasks can be moved within it
 */
export function TaskList({
  tasks,
  isOrdered = false,
  showsProject = false,
}: {
  tasks: readonly Task[];
  isOrdered?: boolean;
  showsProject?: boolean;
}) {
  const [count, setCount] = useState(firstRows);
  const end = useRef<HTMLLIElement>(null);
  const hasMore = tasks.length > count;
  useEffect(() => {
    if (!end.current) return;
    const observer = new IntersectionObserver(
      ([entry]) => entry?.isIntersecting && setCount((shown) => shown + nextRows),
      { rootMargin: '1200px' },
    );
    observer.observe(end.current);
    return () => observer.disconnect();
  }, [hasMore, count]);
  // A row is made once for what a task says: the same one is passed over when the list is rendered again.
  const rows = useMemo(() => new WeakMap<Task, VNode>(), [showsProject]);
  const rowOf = (task: Task) => {
    const row = rows.get(task) ?? <TaskRow key={task.id} task={task} showsProject={showsProject} />;
    rows.set(task, row);
    return row;
  };
  return (
    <ul class="tasks" aria-label={texts.tasks} data-ordered={isOrdered ? '' : undefined}>
      {tasks.slice(0, count).map(rowOf)}
      {hasMore && <li ref={end} class="end" aria-hidden="true" />}
    </ul>
  );
}
