import { dueDay, projects, type Task, tags, tasks } from 'taskgate-client';
import { formatDay, formatTime, today } from '../app/days.ts';
import { nameOf } from '../app/names.ts';
import { people } from '../app/people.ts';
import { useQuery } from '../app/replica.ts';
import { texts } from '../texts.ts';
import { Avatar } from '../ui/avatar.tsx';
import { Icon } from '../ui/icon.tsx';

export function Facts({
  task,
  showsProject,
  headingDay,
  subtasks,
  isUnsent,
}: {
  task: Task;
  showsProject: boolean;
  headingDay: string | undefined;
  subtasks: readonly Task[];
  isUnsent: boolean;
}) {
  const { dueTime, recurrence, tagIds, assigneeIds, parentId, projectId, priority, description, completed } = task;
  const day = dueDay(task);
  const isLate = day !== null && day < today.value && !completed;
  const done = subtasks.filter((subtask) => subtask.completed).length;
  const dueText = [
    day === null || day === headingDay ? '' : formatDay(day),
    dueTime === null ? '' : formatTime(dueTime),
  ].filter((text) => text !== '');
  return (
    <span class="facts">
      {priority !== null && <span class="hidden">{texts.priorityOf(priority)}</span>}
      <span class="due">
        {day !== null && dueText.length > 0 && (
          <time class={isLate ? 'late' : undefined} dateTime={dueTime ?? day}>
            {dueText.join(' ')}
          </time>
        )}
      </span>
      {isUnsent && (
        <span class="unsent">
          <Icon name="wait" />
          {texts.unsent}
        </span>
      )}
      {recurrence && !completed && (
        <span class="sign" role="img" aria-label={texts.repeats(recurrence.summary)} title={recurrence.summary}>
          <Icon name="repeat" />
        </span>
      )}
      {description !== null && description !== '' && (
        <span class="sign" title={texts.hasDescription}>
          <Icon name="note" />
        </span>
      )}
      {subtasks.length > 0 && <span>{texts.subtaskProgress(done, subtasks.length)}</span>}
      {assigneeIds.length > 0 && <Assignees ids={assigneeIds} />}
      {tagIds.length > 0 && <TagLinks ids={tagIds} />}
      {showsProject && (
        <span class="place">
          {parentId !== null && <ParentLink id={parentId} />}
          <ProjectName id={projectId} />
        </span>
      )}
    </span>
  );
}

function Assignees({ ids }: { ids: readonly string[] }) {
  const all = useQuery(() => people);
  const assignees = ids.flatMap((id) => all.get(id) ?? []);
  const text = texts.assignedTo(assignees.map(nameOf));
  return (
    <span class="people" role="img" aria-label={text} title={text}>
      {assignees.map((person) => (
        <Avatar key={person.id} person={person} />
      ))}
    </span>
  );
}

function TagLinks({ ids }: { ids: readonly string[] }) {
  const all = useQuery(tags.all);
  return (
    <span class="tags">
      {all
        .filter(({ id }) => ids.includes(id))
        .map(({ id, name, color }) => (
          <a key={id} class={`tag ${color.toLowerCase()}`} href={`/tags/${id}`} draggable={false}>
            {name}
          </a>
        ))}
    </span>
  );
}

function ParentLink({ id }: { id: string }) {
  const parent = useQuery(() => tasks.byId(id), [id]);
  return parent ? (
    <span>
      {texts.subtaskOf}{' '}
      <a href={`/tasks/${id}`} dir="auto" draggable={false}>
        {parent.title}
      </a>
    </span>
  ) : null;
}

function ProjectName({ id }: { id: string }) {
  const project = useQuery(() => projects.byId(id), [id]);
  return project && !project.isDefault ? <span dir="auto">{project.name}</span> : null;
}
