import { useState } from 'preact/hooks';
import { type Task, tasks } from 'taskgate-client';
import { change, useQuery } from '../app/replica.ts';
import { useCanEdit } from '../app/roles.ts';
import { maxTitleLength } from '../characters.ts';
import { Tick } from '../tasks/tick.tsx';
import { texts } from '../texts.ts';
import { Icon } from '../ui/icon.tsx';

export function Subtasks({ task: { id, projectId } }: { task: Task }) {
  const isEditable = useCanEdit(projectId);
  const subtasks = useQuery(() => tasks.children(id), [id]);
  const [title, setTitle] = useState('');
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
            if (title.trim() === '') return;
            change('createTask', { input: { title: title.trim(), parentId: id } }, texts.added(title.trim()));
            setTitle('');
          }}
        >
          <Icon name="plus" />
          <input
            aria-label={texts.addASubtask}
            placeholder={texts.addASubtask}
            value={title}
            maxLength={maxTitleLength}
            autocomplete="off"
            dir="auto"
            onInput={({ currentTarget: { value } }) => setTitle(value)}
          />
        </form>
      )}
    </section>
  );
}
