import { sections, type Task, type UpdateTaskInput } from 'taskgate-client';
import { moveSeries } from '../app/recurrence.ts';
import { withDueTime, dueTimeOfDay } from '../app/due.ts';
import { change, useQuery } from '../app/replica.ts';
import { useEditableProjects } from '../app/roles.ts';
import { changeDates } from '../tasks/change-dates.ts';
import { texts } from '../texts.ts';
import { Check, Choice, Field } from '../ui/form.tsx';
import { IconButton } from '../ui/icon.tsx';
import { SavedField } from '../ui/saved-field.tsx';
import { AssigneesField } from './assignees-field.tsx';
import { DueField } from './due-field.tsx';
import { usePlannedReminder } from './planned-reminder.ts';
import { Repeat } from './repeat.tsx';
import { TagsField } from './tags-field.tsx';

const none = '';

export function Fields({ task }: { task: Task }) {
  const { id, completed, recurrence, priority, color, projectId, sectionId, reminder } = task;
  const editableProjects = useEditableProjects();
  const projectSections = useQuery(() => sections.byProject(projectId), [projectId]);
  const reminderText = usePlannedReminder(task);
  const update = (input: UpdateTaskInput) => change('updateTask', { id, input });
  const move = (input: UpdateTaskInput) => {
    if (input.dueDate === null) return update(input);
    return changeDates([task], (movesSeries) => {
      if (movesSeries && recurrence) moveSeries(task, recurrence, input);
      else update(input);
    });
  };
  return (
    <div class="fields">
      <DueField task={task} onSave={move} />
      <SavedField
        label={texts.time}
        type="time"
        class={task.dueTime === null ? 'unset' : undefined}
        value={dueTimeOfDay(task)}
        onSave={(time) => move(withDueTime(task, time))}
      />
      {!completed && <Repeat key={id} task={task} />}
      <Choice
        label={texts.priority}
        value={priority ?? none}
        texts={{ [none]: texts.noPriority, ...texts.priorities }}
        onChoose={(value) => update({ priority: value === none ? null : value })}
      />
      <AssigneesField task={task} />
      <TagsField task={task} />
      <Choice
        label={texts.project}
        value={projectId}
        texts={Object.fromEntries(editableProjects.map((each) => [each.id, each.isDefault ? texts.inbox : each.name]))}
        onChoose={(value) => update({ projectId: value, ...(task.parentId !== null && { parentId: null }) })}
      />
      <Choice
        label={texts.section}
        value={sectionId ?? none}
        texts={{ [none]: texts.noSection, ...Object.fromEntries(projectSections.map((each) => [each.id, each.name])) }}
        onChoose={(value) => update({ sectionId: value === none ? null : value })}
      />
      <div class="color">
        <Field
          label={texts.color}
          type="color"
          value={color?.slice(0, 7) ?? '#ffffff'}
          onChange={({ currentTarget: { value } }) => update({ color: value })}
        />
        {color !== null && <IconButton icon="close" label={texts.noColor} onClick={() => update({ color: null })} />}
      </div>
      <Check
        label={texts.reminder}
        hint={reminder ? reminderText : undefined}
        isOn={reminder}
        onChange={(value) => update({ reminder: value })}
      />
    </div>
  );
}
