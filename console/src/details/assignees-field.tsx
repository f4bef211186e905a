import type { Task } from 'taskgate-client';
import { namesOf } from '../app/names.ts';
import { useWorkspace } from '../app/people.ts';
import { change } from '../app/replica.ts';
import { texts } from '../texts.ts';
import { Avatar } from '../ui/avatar.tsx';
import { ChipsField } from '../ui/chips-field.tsx';

/** Absent in a personal project. */
export function AssigneesField({ task: { id, projectId, assigneeIds } }: { task: Task }) {
  const members = useWorkspace(projectId)?.members;
  if (!members) return null;
  const all = namesOf(members);
  const add = (text: string) => {
    const wanted = text.replace(/^\+/, '').toLowerCase();
    const member = all.find(({ name, aliases }) => [name, ...aliases].some((each) => each.toLowerCase() === wanted));
    if (member && !assigneeIds.includes(member.id))
      change('updateTask', { id, input: { addAssigneeIds: [member.id] } });
    return member !== undefined;
  };
  return (
    <ChipsField
      label={texts.assignees}
      placeholder={texts.addAssignee}
      chips={assigneeIds.flatMap((assigneeId) => {
        const person = members.find((member) => member.id === assigneeId);
        const { name = '' } = all.find((each) => each.id === assigneeId) ?? {};
        return person ? [{ id: assigneeId, name, before: <Avatar person={person} /> }] : [];
      })}
      names={all.filter((member) => !assigneeIds.includes(member.id)).map(({ name }) => name)}
      onAdd={add}
      onRemove={(assigneeId) => change('updateTask', { id, input: { removeAssigneeIds: [assigneeId] } })}
    />
  );
}
