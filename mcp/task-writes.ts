import type { FragmentOf } from 'gql.tada';
import { z } from 'zod';
import { invalid } from '@taskgate/base';
import { newId } from '../src/platform/ids.ts';
import { documentOf } from './calls.ts';
import { Calendar } from './days.ts';
import { Directory, Names } from './names.ts';
import { priority, task, TaskFields, toTask } from './tasks.ts';
import { type Caller, fits, strict, writing } from './tool.ts';

const text = () => z.string().optional();

const fields = {
  title: text(),
  description: text(),
  project: text(),
  section: text(),
  parentId: text(),
  tags: z.array(z.string()).max(100).optional(),
  assignees: z.array(z.string()).max(10).optional(),
  priority: z.enum([...priority.options, '']).optional(),
  dueDate: text(),
  dueTime: text(),
  repeat: text(),
  reminder: z.boolean().optional(),
};

type Fields = { [Name in keyof typeof fields]?: z.output<(typeof fields)[Name]> };

const formats =
  '`project`, `section` and `tags` take ids or names. `assignees`: ids, names or e-mail addresses of members of the task’s space, or `me`. `dueDate`: YYYY-MM-DD, `today` or `tomorrow`. `dueTime`: HH:MM on the due date, or a date and time; without an offset, in the user’s time zone. `repeat`: an RRULE such as FREQ=WEEKLY;BYDAY=MO.';

/** @param given with the field. Empty clears */
const cleared = <Value>(name: string, given: string | undefined, value: (text: string) => Value) =>
  given === undefined ? {} : { [name]: given === '' ? null : value(given) };

/** Fields of `CreateTaskInput` and `UpdateTaskInput` that need no look-up, or only tags and members. */
function inputOf(given: Fields, directory: Directory, projectId: string | undefined, place: string) {
  const { title, description, priority, reminder, repeat, tags, assignees } = given;
  return {
    ...(title !== undefined && { title }),
    ...cleared('description', description, (each) => each),
    ...cleared('priority', priority, (each) => each.toUpperCase()),
    ...cleared('recurrence', repeat, (rule) => ({ rule, basis: 'SCHEDULE' })),
    ...(reminder !== undefined && { reminder }),
    ...(tags && { tagIds: directory.tags(tags, `${place}.tags`) }),
    ...(assignees && { assigneeIds: directory.members(assignees, projectId, `${place}.assignees`) }),
  };
}

const createTask = { name: 'createTask', types: { input: 'CreateTaskInput!' }, fragment: TaskFields };
const updateTask = { name: 'updateTask', types: { id: 'ID!', input: 'UpdateTaskInput!' }, fragment: TaskFields };
const moveTask = { name: 'moveTask', types: { id: 'ID!', after: 'ID', before: 'ID' }, fragment: TaskFields };

const maxTitle = 100;

/** Only ids and the beginnings of titles, if all of it would be too much. */
function toTasks(caller: Caller, rows: readonly FragmentOf<typeof TaskFields>[]): { tasks: z.input<typeof task>[] } {
  const tasks = rows.map((row) => toTask(caller, row));
  if (fits({ tasks })) return { tasks };
  return {
    tasks: tasks.map(({ id, title, url }) => ({ id, title: Array.from(title).slice(0, maxTitle).join(''), url })),
  };
}

const maxTasks = 50;
/** Of a call: each is a write of the same transaction. */
const maxSubtasks = 200;

export const createTasks = writing({
  name: 'create_tasks',
  description: `Creates up to 50 tasks, all or none. Returns them with their ids, and the \`operationId\` for \`undo\`. Call \`overview\` before, for the names of projects, sections, tags and members. Without \`project\`, a task is in the inbox, or in the project of its \`parentId\`. ${formats} \`subtasks\`: titles, up to 200 in a call.`,
  input: {
    tasks: z
      .array(strict({ ...fields, title: z.string(), subtasks: z.array(z.string()).optional() }))
      .min(1)
      .max(maxTasks),
  },
  output: { tasks: z.array(task) },
  documents: [documentOf('create_tasks', [createTask]), Names],
  async answer({ tasks }, caller) {
    const parents = tasks.flatMap(({ parentId }) => parentId ?? []);
    const [directory, calendar] = [await Directory.read(caller, parents), await Calendar.of(caller)];
    if (tasks.flatMap(({ subtasks = [] }) => subtasks).length > maxSubtasks)
      throw invalid('tasks', `must have at most ${maxSubtasks} subtasks in all`);
    const steps = tasks.map(({ subtasks = [], ...given }, index) => {
      const place = `tasks[${index}]`;
      const { project, section, parentId } = given;
      const parent = parentId ? directory.task(parentId, `${place}.parentId`) : undefined;
      const named = project ? directory.project(project, `${place}.project`).id : parent?.projectId;
      const found = section ? directory.section(section, named, `${place}.section`) : undefined;
      const projectId = named ?? found?.projectId;
      const id = newId('Task');
      const input = {
        ...{ id, ...inputOf(given, directory, projectId ?? directory.inboxId, place) },
        ...calendar.inputOf(given, place),
        ...(projectId !== undefined && { projectId }),
        ...(found && { sectionId: found.id }),
        ...(parent && { parentId: parent.id }),
      };
      return {
        step: { mutation: createTask, args: { input }, place },
        below: subtasks.map((title, at) => ({
          mutation: createTask,
          args: { input: { title, parentId: id } },
          place: `${place}.subtasks[${at}]`,
        })),
      };
    });
    const all = [...steps.map(({ step }) => step), ...steps.flatMap(({ below }) => below)];
    const created = await caller.mutate(all);
    // Each was read before its subtasks were created.
    const rows = steps.flatMap(({ below }, index) => {
      const row = created[index];
      return row ? [{ ...row, children: below.map(() => ({ id: '' })) }] : [];
    });
    return toTasks(caller, rows);
  },
});

export const updateTasks = writing({
  name: 'update_tasks',
  description: `Changes up to 50 tasks, all or none: absent fields stay, an empty text or list clears. Returns the tasks as they are now, and the \`operationId\` for \`undo\`. Call \`list_tasks\` or \`search\` before, for their ids. \`completed\`: true when it is done. \`after\` or \`before\`: id of the sibling to put it next to. An empty \`project\` is the inbox, an empty \`parentId\` makes it a task of its own. If only \`dueDate\` changes, the time of day stays. ${formats}`,
  input: {
    tasks: z
      .array(
        strict({
          id: z.string(),
          ...fields,
          completed: z.boolean().optional(),
          after: z.string().optional(),
          before: z.string().optional(),
        }),
      )
      .min(1)
      .max(maxTasks),
  },
  output: { tasks: z.array(task) },
  documents: [documentOf('update_tasks', [updateTask, moveTask]), Names],
  hints: { idempotentHint: true },
  async answer({ tasks }, caller) {
    const ids = tasks.flatMap(({ id, parentId }) => (parentId ? [id, parentId] : [id]));
    const [directory, calendar] = [await Directory.read(caller, ids), await Calendar.of(caller)];
    const steps = tasks.flatMap((given, index) => {
      const place = `tasks[${index}]`;
      const { id, project, section, parentId, completed, after, before } = given;
      const now = directory.task(id, `${place}.id`);
      const parent = parentId ? directory.task(parentId, `${place}.parentId`) : undefined;
      const moved = cleared('projectId', project, (each) => directory.project(each, `${place}.project`).id);
      const target = project === '' ? directory.inboxId : (moved['projectId'] ?? parent?.projectId ?? now.projectId);
      const input = {
        ...inputOf(given, directory, target, place),
        ...calendar.inputOf(given, place, { ...now, dueTime: now.dueTime === null ? null : new Date(now.dueTime) }),
        ...moved,
        ...cleared('sectionId', section, (each) => directory.section(each, target, `${place}.section`).id),
        ...cleared('parentId', parentId, (each) => each),
        ...(completed !== undefined && { completed }),
      };
      const isMoved = after !== undefined || before !== undefined;
      if (!isMoved && Object.keys(input).length === 0) throw invalid(place, 'must have a field that changes');
      return [
        ...(Object.keys(input).length > 0 ? [{ mutation: updateTask, args: { id, input }, place }] : []),
        ...(isMoved ? [{ mutation: moveTask, args: { id, after, before }, place }] : []),
      ];
    });
    const rows = await caller.mutate(steps);
    return toTasks(caller, [...new Map(rows.map((row) => [row.id, row])).values()]);
  },
});
