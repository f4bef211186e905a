import { type Task, tasks } from 'taskgate-client';
import { change, useQuery } from '../app/replica.ts';
import { useCanEdit } from '../app/roles.ts';
import { Tick } from '../tasks/tick.tsx';
import { texts } from '../texts.ts';
import { Icon } from '../ui/icon.tsx';
import { discardDraft, draftText, maxLengths, setDraft } from './drafts.ts';

export function Subtasks({ task: { id, projectId } }: { task: Task }) {
  const isEditable = useCanEdit(projectId);
  const subtasks = useQuery(() => tasks.children(id), [id]);
  const text = draftText(id, 'subtask') ?? '';
  if (!isEditable && subtasks.length === 0) return null;
  return (
    <section class="part">
      <h3>{texts.subtasks}</h3>
      <ul aria-label={texts.subtasks}>
        {subtasks.map((subtask) => (
          <li key={subtask.id} class={subtask.completed ? 'line completed' : 'line'}>
            <Tick task={subtask} size="small" />
            <a class="title" href={`/tasks/${subtask.id}`} dir="auto">
              {subtask.title}
            </a>
          </li>
        ))}
      </ul>
      {isEditable && (
        <form
          class="line"
          onSubmit={(event) => {
            event.preventDefault();
            const title = (draftText(id, 'subtask') ?? '').trim();
            if (title === '') return;
            change('createTask', { input: { title, parentId: id } }, texts.added(title));
            discardDraft(id, 'subtask');
          }}
        >
          <Icon name="plus" />
          <input
            aria-label={texts.addASubtask}
            placeholder={texts.addASubtask}
            value={text}
            maxLength={maxLengths.subtask}
            autocomplete="off"
            dir="auto"
            onInput={({ currentTarget: { value } }) => setDraft({ id }, 'subtask', '', value)}
          />
        </form>
      )}
    </section>
  );
}
