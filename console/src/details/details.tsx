import { useEffect, useRef } from 'preact/hooks';
import { status, tasks } from 'taskgate-client';
import { useQuery } from '../app/replica.ts';
import { go, route } from '../app/router.ts';
import { complete, menuOf } from '../tasks/task-actions.ts';
import { texts } from '../texts.ts';
import { Icon } from '../ui/icon.tsx';
import { MoreButton } from '../ui/menu.tsx';
import { focusWanted } from './focus.ts';
import { Fields } from './fields.tsx';
import { History } from './history.tsx';
import { Subtasks } from './subtasks.tsx';
import { Draft } from './draft.tsx';

export function Details({ id }: { id: string }) {
  const task = useQuery(() => tasks.byId(id), [id]);
  const now = useQuery(() => status);
  const panel = useRef<HTMLElement>(null);
  const { from } = route.value;
  const close = () => {
    go(from ?? (task ? `/projects/${task.projectId}` : '/today'));
    requestAnimationFrame(() => document.querySelector<HTMLElement>(`main [data-task="${id}"] .title`)?.focus());
  };
  const isHere = task !== undefined;
  useEffect(() => {
    const wanted = focusWanted.value;
    focusWanted.value = undefined;
    const field = wanted === undefined ? null : panel.current?.querySelector<HTMLElement>(`[name="${wanted}"]`);
    // The user may have focused a field already.
    if (field || !panel.current?.contains(document.activeElement)) (field ?? panel.current)?.focus();
  }, [isHere, focusWanted.value]);
  return (
    <aside
      ref={panel}
      class="details"
      aria-label={texts.task}
      tabIndex={-1}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.defaultPrevented) return;
        event.stopPropagation();
        close();
      }}
    >
      <div class="heading">
        {task?.parentId != null && <a href={`/tasks/${task.parentId}`}>{texts.parentTask}</a>}
        <span class="space" />
        {task && <MoreButton label={texts.more} items={() => menuOf(task).slice(2)} />}
        <button type="button" class="quiet" aria-label={texts.close} onClick={close}>
          <Icon name="close" />
        </button>
      </div>
      {!task && <p class="empty">{now === 'live' ? texts.missingTask : texts.opening}</p>}
      {task && (
        <>
          <div class="headline">
            <input
              type="checkbox"
              class={`tick ${task.priority?.toLowerCase() ?? ''}`}
              aria-label={texts.completedLabel}
              checked={task.completed}
              onChange={() => complete(task)}
            />
            <Draft task={task} field="title" label={texts.title} />
          </div>
          <Draft task={task} field="description" label={texts.description} />
          <Fields task={task} />
          <Subtasks task={task} />
          <History task={task} />
        </>
      )}
    </aside>
  );
}
