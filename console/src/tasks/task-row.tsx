import { useState } from 'preact/hooks';
import { dueDay, pending, projects, select, type Task, tags, tasks } from 'taskgate-client';
import { shownDay, shownTime, today } from '../app/days.ts';
import { useQuery } from '../app/replica.ts';
import { openTask } from '../app/router.ts';
import { texts } from '../texts.ts';
import { Icon } from '../ui/icon.tsx';
import { MoreButton } from '../ui/menu.tsx';
import { selection, selectTo, toggle } from './selection.ts';
import { complete, menuOf } from './task-actions.ts';

/** Ids of the tasks that have changes which are not sent yet. */
const unsent = select(pending, (entries) => {
  const ids = entries.map(({ variables }) => {
    const { id, ids: many, input } = variables as { id?: string; ids?: string[]; input?: { id?: string } };
    return many ?? [id ?? input?.id ?? ''];
  });
  return new Set(ids.flat());
});

/** Ids of the tasks whose subtasks are shown: a row that is rendered again is as it was. */
const expanded = new Set<string>();

export interface TaskRowProps {
  readonly task: Task;
  readonly showsProject: boolean;
  /** Place in the list from 1, and length of the list, where not all of it is rendered. */
  readonly position?: number;
  readonly total?: number | undefined;
}

/** A task in a list, with its subtasks. */
export function TaskRow({ task, showsProject, position, total }: TaskRowProps) {
  const { id, title, completed, priority, color } = task;
  const subtasks = useQuery(() => tasks.children(id), [id]);
  const isUnsent = useQuery(() => select(unsent, (ids) => ids.has(id)), [id]);
  const [isOpen, setOpen] = useState(() => expanded.has(id));
  const expand = () => {
    if (!expanded.delete(id)) expanded.add(id);
    setOpen(!isOpen);
  };
  const isSelected = selection.value.has(id);
  const onClick = (event: MouseEvent) => {
    if (!(event.metaKey || event.ctrlKey || event.shiftKey)) return;
    if (event.target instanceof HTMLInputElement) return;
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
      draggable
      tabIndex={-1}
    >
      <div class="row" onClick={onClick} onDblClick={() => openTask(id)}>
        {subtasks.length > 0 ? (
          <button
            type="button"
            class="quiet expand"
            aria-label={texts.subtasksOf(title)}
            aria-expanded={isOpen}
            onClick={expand}
          >
            <Icon name="chevron" />
          </button>
        ) : (
          <span class="expand" />
        )}
        <input
          type="checkbox"
          class={`tick ${priority?.toLowerCase() ?? ''}`}
          aria-label={title}
          checked={completed}
          onChange={() => complete(task)}
        />
        <div class="what">
          <a class="title" href={`/tasks/${id}`} dir="auto" draggable={false}>
            {title}
          </a>
          <Facts task={task} showsProject={showsProject} subtasks={subtasks} isUnsent={isUnsent} />
        </div>
        <MoreButton class="more" label={texts.more} items={() => menuOf(task)} />
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

/** What is shown of a task in addition to its title. */
function Facts({
  task,
  showsProject,
  subtasks,
  isUnsent,
}: {
  task: Task;
  showsProject: boolean;
  subtasks: readonly Task[];
  isUnsent: boolean;
}) {
  const { dueTime, tagIds, projectId, priority, description, completed } = task;
  const day = dueDay(task);
  const isLate = day !== null && day < today.value && !completed;
  const done = subtasks.filter((subtask) => subtask.completed).length;
  return (
    <span class="facts">
      {day !== null && (
        <time class={isLate ? 'late' : undefined} dateTime={dueTime ?? day}>
          {shownDay(day)}
          {dueTime !== null && ` ${shownTime(dueTime)}`}
        </time>
      )}
      {priority !== null && <span class={`priority ${priority.toLowerCase()}`}>{texts.priorities[priority]}</span>}
      {subtasks.length > 0 && <span>{texts.doneOf(done, subtasks.length)}</span>}
      {tagIds.length > 0 && <TagLinks ids={tagIds} />}
      {description !== null && description !== '' && (
        <span class="described" title={texts.hasDescription}>
          <Icon name="note" />
        </span>
      )}
      {showsProject && <ProjectName id={projectId} />}
      {isUnsent && (
        <span class="unsent">
          <Icon name="wait" />
          {texts.unsent}
        </span>
      )}
    </span>
  );
}

function TagLinks({ ids }: { ids: readonly string[] }) {
  const all = useQuery(tags.all);
  return all
    .filter(({ id }) => ids.includes(id))
    .map(({ id, name, color }) => (
      <a key={id} class={`tag ${color.toLowerCase()}`} href={`/tags/${id}`} draggable={false}>
        {name}
      </a>
    ));
}

function ProjectName({ id }: { id: string }) {
  const project = useQuery(() => projects.byId(id), [id]);
  return project && !project.isDefault ? <span dir="auto">{project.name}</span> : null;
}
