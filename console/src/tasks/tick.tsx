import type { Task } from 'taskgate-client';
import { useCanEdit } from '../app/roles.ts';
import { texts } from '../texts.ts';
import { complete } from './task-actions.ts';

/** Completes the task, or opens it again. A mark if the user may not. */
export function Tick({ task, label = task.title, size = '' }: { task: Task; label?: string; size?: 'small' | '' }) {
  const { completed, priority, projectId } = task;
  const shape = `tick ${size} ${priority?.toLowerCase() ?? ''}`;
  if (!useCanEdit(projectId)) {
    return completed ? (
      <span class={`${shape} checked`} role="img" aria-label={texts.completedLabel} />
    ) : (
      <span class={shape} />
    );
  }
  return <input type="checkbox" class={shape} aria-label={label} checked={completed} onChange={() => complete(task)} />;
}
