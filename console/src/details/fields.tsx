import { type Priority, projects, sections, type Task, type UpdateTaskInput } from 'taskgate-client';
import { dayOf, momentOf, timeOf, today } from '../app/days.ts';
import { change, useQuery } from '../app/replica.ts';
import { texts } from '../texts.ts';
import { Check, Choice, Field } from '../ui/form.tsx';
import { Icon } from '../ui/icon.tsx';
import { usePlannedReminder } from './planned-reminder.ts';
import { TagsField } from './tags-field.tsx';

const none = '';

/** What a task's day and time are where one of them is changed. */
function dueOf({ dueDate, dueTime }: Task, given: { day?: string; time?: string }): UpdateTaskInput {
  const shownDay = dueTime === null ? dueDate : dayOf(new Date(dueTime));
  const day = given.day ?? shownDay ?? (given.time ? today.value : '');
  const time = given.time ?? (dueTime === null ? '' : timeOf(dueTime));
  if (day === '') return { dueDate: null, isAllDay: true };
  if (time === '') return { dueDate: day, isAllDay: true };
  return { dueDate: day, dueTime: momentOf(day, time).toISOString(), isAllDay: false };
}

/** What a task has in addition to its texts. */
export function Fields({ task }: { task: Task }) {
  const { id, dueDate, dueTime, priority, color, projectId, sectionId, reminder } = task;
  const all = useQuery(projects.all);
  const parts = useQuery(() => sections.byProject(projectId), [projectId]);
  const planned = usePlannedReminder(task);
  const update = (input: UpdateTaskInput) => change('updateTask', { id, input });
  const shownDate = dueTime === null ? (dueDate ?? '') : dayOf(new Date(dueTime));
  return (
    <div class="fields">
      <Field
        label={texts.dueDate}
        name="dueDate"
        type="date"
        value={shownDate}
        onChange={({ currentTarget: { value } }) => update(dueOf(task, { day: value }))}
      />
      <Field
        label={texts.time}
        type="time"
        value={dueTime === null ? '' : timeOf(dueTime)}
        onChange={({ currentTarget: { value } }) => update(dueOf(task, { time: value }))}
      />
      <Choice
        label={texts.priority}
        value={priority ?? none}
        options={[
          { value: none, text: texts.noPriority },
          ...(['HIGH', 'MEDIUM', 'LOW'] as const).map((value) => ({ value, text: texts.priorities[value] })),
        ]}
        onChoose={(value) => update({ priority: value === none ? null : (value as Priority) })}
      />
      <div class="color">
        <Field
          label={texts.color}
          type="color"
          value={color?.slice(0, 7) ?? '#ffffff'}
          onChange={({ currentTarget: { value } }) => update({ color: value })}
        />
        {color !== null && (
          <button type="button" class="quiet" aria-label={texts.noColor} onClick={() => update({ color: null })}>
            <Icon name="close" />
          </button>
        )}
      </div>
      <TagsField task={task} />
      <Choice
        label={texts.project}
        value={projectId}
        options={all.map((project) => ({ value: project.id, text: project.isDefault ? texts.inbox : project.name }))}
        onChoose={(value) => update({ projectId: value, ...(task.parentId !== null && { parentId: null }) })}
      />
      <Choice
        label={texts.section}
        value={sectionId ?? none}
        options={[
          { value: none, text: texts.noSection },
          ...parts.map((part) => ({ value: part.id, text: part.name })),
        ]}
        onChoose={(value) => update({ sectionId: value === none ? null : value })}
      />
      <Check
        label={texts.reminder}
        hint={reminder ? planned : undefined}
        isOn={reminder}
        onChange={(value) => update({ reminder: value })}
      />
    </div>
  );
}
