import { dueDay, projects, sections, type Task, type UpdateTaskInput } from 'taskgate-client';
import { withDueTime, dueTimeOfDay, withDueDay } from '../app/due.ts';
import { change, useQuery } from '../app/replica.ts';
import { texts } from '../texts.ts';
import { Check, Choice, Field } from '../ui/form.tsx';
import { Icon } from '../ui/icon.tsx';
import { SavedField } from '../ui/saved-field.tsx';
import { usePlannedReminder } from './planned-reminder.ts';
import { TagsField } from './tags-field.tsx';

const none = '';

export function Fields({ task }: { task: Task }) {
  const { id, priority, color, projectId, sectionId, reminder } = task;
  const allProjects = useQuery(projects.all);
  const projectSections = useQuery(() => sections.byProject(projectId), [projectId]);
  const reminderText = usePlannedReminder(task);
  const update = (input: UpdateTaskInput) => change('updateTask', { id, input });
  return (
    <div class="fields">
      <SavedField
        label={texts.dueDate}
        name="dueDate"
        type="date"
        min="1000-01-01"
        max="9999-12-31"
        value={dueDay(task) ?? ''}
        onSave={(day) => update(withDueDay(task, day === '' ? null : day))}
      />
      <SavedField
        label={texts.time}
        type="time"
        value={dueTimeOfDay(task)}
        onSave={(time) => update(withDueTime(task, time))}
      />
      <Choice
        label={texts.priority}
        value={priority ?? none}
        texts={{ [none]: texts.noPriority, ...texts.priorities }}
        onChoose={(value) => update({ priority: value === none ? null : value })}
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
        texts={Object.fromEntries(allProjects.map((each) => [each.id, each.isDefault ? texts.inbox : each.name]))}
        onChoose={(value) => update({ projectId: value, ...(task.parentId !== null && { parentId: null }) })}
      />
      <Choice
        label={texts.section}
        value={sectionId ?? none}
        texts={{ [none]: texts.noSection, ...Object.fromEntries(projectSections.map((each) => [each.id, each.name])) }}
        onChoose={(value) => update({ sectionId: value === none ? null : value })}
      />
      <Check
        label={texts.reminder}
        hint={reminder ? reminderText : undefined}
        isOn={reminder}
        onChange={(value) => update({ reminder: value })}
      />
    </div>
  );
}
