import { dueDay, projects, sections, type Task, tags } from 'taskgate-client';
import { formatDay, formatTime } from '../app/days.ts';
import { nameOf } from '../app/names.ts';
import { useWorkspace } from '../app/people.ts';
import { useQuery } from '../app/replica.ts';
import { texts } from '../texts.ts';
import { RoleNote } from '../ui/role-note.tsx';
import { Rendered } from './rendered.tsx';

/** The fields of a task that the user may not change. */
export function ReadOnly({ task }: { task: Task }) {
  const { description, dueTime, recurrence, priority, assigneeIds, tagIds, projectId, sectionId } = task;
  const workspace = useWorkspace(projectId);
  const project = useQuery(() => projects.byId(projectId), [projectId]);
  const section = useQuery(() => sections.byId(sectionId ?? ''), [sectionId]);
  const allTags = useQuery(tags.all);
  const day = dueDay(task);
  const facts: readonly (readonly [string, string | undefined])[] = [
    [texts.dueDate, day === null ? undefined : formatDay(day)],
    [texts.time, dueTime === null ? undefined : formatTime(dueTime)],
    [texts.repeat, recurrence?.summary],
    [texts.priority, priority === null ? undefined : texts.priorities[priority]],
    [
      texts.assignees,
      assigneeIds
        .flatMap((id) => workspace?.members.find((member) => member.id === id) ?? [])
        .map(nameOf)
        .join(', '),
    ],
    [
      texts.tags,
      allTags
        .filter(({ id }) => tagIds.includes(id))
        .map(({ name }) => name)
        .join(', '),
    ],
    [texts.project, project?.name],
    [texts.section, section?.name],
  ];
  return (
    <>
      <RoleNote workspace={workspace} />
      {description !== null && <Rendered text={description} />}
      <dl class="read-only">
        {facts.map(
          ([label, value = '']) =>
            value !== '' && (
              <div key={label}>
                <dt>{label}</dt>
                <dd dir="auto">{value}</dd>
              </div>
            ),
        )}
      </dl>
    </>
  );
}
