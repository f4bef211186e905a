import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { status, tasks } from 'taskgate-client';
import { useQuery } from '../app/replica.ts';
import { taskIdIn } from '../app/paths.ts';
import { useCanEdit } from '../app/roles.ts';
import { go, route } from '../app/router.ts';
import { focusTask } from '../tasks/focus-task.ts';
import { menuOf } from '../tasks/task-actions.ts';
import { Tick } from '../tasks/tick.tsx';
import { texts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { IconButton } from '../ui/icon.tsx';
import { lazy } from '../ui/lazy.tsx';
import { MoreButton } from '../ui/menu.tsx';
import { Claimed } from './claimed.tsx';
import { requestedField } from './focus.ts';
import { Fields } from './fields.tsx';
import { History } from './history.tsx';
import { Subtasks } from './subtasks.tsx';
import { Draft } from './draft.tsx';
import { ReadOnly } from './read-only.tsx';
import { UnsentTexts } from './unsent-texts.tsx';

export function Details({ id }: { id: string }) {
  const task = useQuery(() => tasks.byId(id), [id]);
  const isEditable = useCanEdit(task?.projectId ?? '');
  const isKnown = useQuery(() => status) === 'live';
  const panel = useRef<HTMLElement>(null);
  const { from } = route.value;
  const close = () => go(from ?? (task ? `/projects/${task.projectId}` : '/today'));
  const isLoaded = task !== undefined;
  useEffect(() => {
    const fieldName = requestedField.value;
    requestedField.value = undefined;
    const field = fieldName === undefined ? null : panel.current?.querySelector<HTMLElement>(`[name="${fieldName}"]`);
    // The user may have focused a field already.
    if (field || !panel.current?.contains(document.activeElement)) (field ?? panel.current)?.focus();
  }, [isLoaded, requestedField.value]);
  useLayoutEffect(
    () => () => {
      const isClosed = taskIdIn(route.value.path) === undefined;
      if (isClosed && panel.current?.contains(document.activeElement)) focusTask(id);
    },
    [],
  );
  return (
    <aside
      ref={panel}
      class="details"
      aria-label={texts.task}
      tabIndex={-1}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && event.target instanceof HTMLSelectElement) event.target.showPicker();
        if (event.key !== 'Escape' || event.defaultPrevented) return;
        event.stopPropagation();
        close();
      }}
    >
      <div class="heading">
        {task?.parentId != null && <a href={`/tasks/${task.parentId}`}>{texts.parentTask}</a>}
        <span class="space" />
        {task && isEditable && <MoreButton label={texts.more} items={() => menuOf(task).slice(3)} />}
        <IconButton icon="close" label={texts.close} onClick={close} />
      </div>
      {!task && (
        <div class="empty">
          <p>{isKnown ? texts.missingTask : texts.opening}</p>
          {isKnown && <Button text={texts.goTo(texts.today)} onClick={() => go('/')} />}
        </div>
      )}
      {!task && isKnown && <UnsentTexts id={id} fields={['comment', 'subtask']} />}
      {task && (
        <>
          <div class="headline">
            <Tick task={task} label={texts.completedLabel} />
            {isEditable ? <Draft task={task} field="title" label={texts.title} /> : <h2 dir="auto">{task.title}</h2>}
          </div>
          <Claimed key={id} task={task} />
          {isEditable ? (
            <>
              <Draft task={task} field="description" label={texts.description} />
              <Fields task={task} />
            </>
          ) : (
            <>
              <ReadOnly task={task} />
              <UnsentTexts id={id} fields={['subtask']} />
            </>
          )}
          <Subtasks task={task} />
          <Comments task={task} />
          <History task={task} />
        </>
      )}
    </aside>
  );
}

const Comments = lazy(() => import('./comments.tsx').then((module) => module.Comments));
