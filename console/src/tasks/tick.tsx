import type { Task } from 'taskgate-client';
import { complete } from './task-actions.ts';

/** Completes the task, or opens it again. */
export const Tick = ({ task, label = task.title, size = '' }: { task: Task; label?: string; size?: 'small' | '' }) => (
  <input
    type="checkbox"
    class={`tick ${size} ${task.priority?.toLowerCase() ?? ''}`}
    aria-label={label}
    checked={task.completed}
    onChange={() => complete(task)}
  />
);
