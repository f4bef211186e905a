import { type Priority, projects, type Query, type Recurrence, sections, tags, tasks } from 'taskgate-client';
import { formatDate, formatTime } from '../app/days.ts';
import { nameOf } from '../app/names.ts';
import { people } from '../app/people.ts';
import { currentReplica } from '../app/session.ts';
import { shorten } from '../characters.ts';
import { texts } from '../texts.ts';

interface FieldChange {
  readonly name: string;
  readonly before: unknown;
  readonly after: unknown;
}

const read = <Result>(query: Query<Result>): Result => currentReplica().read(query);

/** Values in words, by field. Other fields are only named. */
const words: Readonly<Record<string, (value: never) => string | undefined>> = {
  title: (title: string) => shorten(title, 60),
  dueDate: (day: string) => formatDate(day),
  dueTime: formatTime,
  priority: (priority: Priority) => texts.priorities[priority],
  color: (color: string) => color,
  recurrence: (recurrence: Recurrence) => texts.summary(recurrence, recurrence.start),
  project: (id: string) => read(projects.byId(id))?.name,
  section: (id: string) => read(sections.byId(id))?.name,
  parent: (id: string) => read(tasks.byId(id))?.title,
  tags: (ids: readonly string[]) => ids.flatMap((id) => read(tags.byId(id))?.name ?? []).join(', '),
  assignees: (ids: readonly string[]) =>
    ids
      .flatMap((id) => read(people).get(id) ?? [])
      .map(nameOf)
      .join(', '),
};

function describeField({ name, before, after }: FieldChange): string {
  if (name === 'completed') return after === true ? texts.completedLabel : texts.reopened;
  if (name === 'reminder') return texts.reminderChanged(after === true);
  const label = texts.fields[name] ?? name;
  const toText = words[name];
  if (!toText) return label;
  const [from = '', to = ''] = [before, after].map((value) => (value == null ? '' : toText(value as never)));
  return from === to ? label : texts.changed(label, from, to);
}

/** Fields that follow from others. */
const derived = ['completedAt', 'isAllDay', 'sortKey'];

/** Returns a change in words: "Due date: none → 3 Dec". */
export function describe(kind: string, fields: readonly FieldChange[]): string {
  if (kind !== 'UPDATED') return texts.changeKinds[kind] ?? '';
  const own = fields.filter(({ name }) => !derived.includes(name));
  return (own.length > 0 ? own : fields).map(describeField).join(', ');
}
