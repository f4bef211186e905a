import { z } from 'zod';
import { invalid } from '@taskgate/base';
import { graphql } from '../rest/graphql.ts';
import { newId } from '../src/platform/ids.ts';
import { isEmpty } from '../src/platform/input.ts';
import { dueInputs } from './days.ts';
import { Names, readNames } from './names.ts';
import { fits } from './result.ts';
import { priority, task, TaskFields, toTask } from './tasks.ts';
import { type Api, keyed, operationId, strict, text, tool } from './tool.ts';

/** An empty text clears the field. */
const clearable = z
  .string()
  .transform((given) => given || null)
  .optional();

const clearablePriority = z
  .enum([...priority.options, ''])
  .transform((given) => (given.toUpperCase() as Uppercase<typeof given>) || null)
  .optional();

const fields = {
  title: text,
  description: clearable,
  project: clearable,
  section: clearable,
  parentId: clearable,
  tags: z.array(z.string()).max(100).optional(),
  assignees: z.array(z.string()).max(10).optional(),
  priority: clearablePriority,
  dueDate: clearable,
  dueTime: clearable,
  repeat: clearable,
  reminder: z.boolean().optional(),
};

type Fields = z.output<z.ZodObject<typeof fields>>;

const formats =
  '`project`, `section` and `tags` take ids or names. `assignees`: ids, names or e-mail addresses of members of the task’s space, or `me`. `dueDate`: YYYY-MM-DD, `today` or `tomorrow`. `dueTime`: HH:MM on the due date, or a date and time; without an offset, in the user’s time zone. `repeat`: an RRULE such as FREQ=WEEKLY;BYDAY=MO.';

/** @returns a function that makes fields of `CreateTaskInput`, or with an id of `UpdateTaskInput` */
async function taskInputs(api: Api, tasks: readonly (Fields & { id?: string })[]) {
  const ids = tasks.flatMap(({ id, parentId }) => [id, parentId]).filter((each) => each != null);
  const names = await readNames(api, ids);
  const dueOf = await dueInputs(api);
  return (given: Fields & { completed?: boolean | undefined }, place: string, id?: string) => {
    const { project, section, repeat, tags, assignees, dueDate, dueTime, ...own } = given;
    const now = names.task(id, `${place}.id`);
    const parent = names.task(own.parentId, `${place}.parentId`);
    const named = names.project(project, `${place}.project`)?.id;
    const inbox = now && project === null ? names.inboxId : undefined;
    const home = named ?? inbox ?? parent?.projectId ?? now?.projectId;
    const found = names.section(section, `${place}.section`, home);
    const target = home ?? found?.home;
    const space = target ?? names.inboxId;
    return {
      ...own,
      ...dueOf({ dueDate, dueTime }, place, now),
      projectId: now ? project && named : target,
      sectionId: section && found?.id,
      recurrence: typeof repeat === 'string' ? { rule: repeat, basis: 'SCHEDULE' as const } : repeat,
      tagIds: tags?.map((each, index) => names.tag(each, `${place}.tags[${index}]`).id),
      assigneeIds: assignees?.map((each, index) => names.member(each, `${place}.assignees[${index}]`, space).id),
    };
  };
}

const CreateTask = graphql('mutation CreateByTool($input: CreateTaskInput!) { createTask(input: $input) { id } }');
const UpdateTask = graphql(
  'mutation UpdateByTool($id: ID!, $input: UpdateTaskInput!) { updateTask(id: $id, input: $input) { id } }',
);
const MoveTask = graphql(
  'mutation MoveByTool($id: ID!, $after: ID, $before: ID) { moveTask(id: $id, after: $after, before: $before) { id } }',
);
const WrittenTasks = graphql('query WrittenTasks($ids: [ID!]!) { nodes(ids: $ids) { ...TaskFields } }', [TaskFields]);

const maxTitle = 100;

/** Only ids and the beginnings of titles, if all of it would be too much. */
async function readTasks(api: Api, written: readonly { id: string }[]) {
  const { nodes } = await api.run(WrittenTasks, { ids: [...new Set(written.map(({ id }) => id))] });
  const tasks = nodes.flatMap((node) => (node && 'title' in node ? [toTask(api, node)] : []));
  const beginningOf = (title: string) => Array.from(title).slice(0, maxTitle).join('');
  return fits({ tasks })
    ? { tasks }
    : { tasks: tasks.map(({ id, title, url }) => ({ id, title: beginningOf(title), url })) };
}

const several = <const Shape extends z.ZodRawShape>(shape: Shape) => z.array(strict(shape)).min(1).max(50);

/** Of a call: each is a write of the same transaction. */
const maxSubtasks = 200;

export const createTasks = tool({
  description: `Creates up to 50 tasks, all or none. Returns them with their ids, and the \`operationId\` for \`undo\`. Call \`overview\` before, for the names of projects, sections, tags and members. Without \`project\`, a task is in the inbox, or in the project of its \`parentId\`. ${formats} \`subtasks\`: titles, up to 200 in a call.`,
  input: {
    tasks: several({ ...fields, title: z.string(), subtasks: z.array(z.string()).optional() }),
    ...keyed,
  },
  output: { tasks: z.array(task), operationId },
  documents: [CreateTask, Names, WrittenTasks],
  writes: ({ tasks }) => tasks.flatMap(({ subtasks = [] }) => ['', ...subtasks]).length,
  async answer({ tasks }, api) {
    const inputOf = await taskInputs(api, tasks);
    const made = tasks.map(({ subtasks = [], title, ...given }, index) => {
      const place = `tasks[${index}]`;
      const id = newId('Task');
      return { id, place, subtasks, input: { ...inputOf(given, place), id, title } };
    });
    const below = made.flatMap(({ id, place, subtasks }) =>
      subtasks.map((title, at) => ({ place: `${place}.subtasks[${at}]`, input: { title, parentId: id } })),
    );
    if (below.length > maxSubtasks) throw invalid('tasks', `must have at most ${maxSubtasks} subtasks in all`);
    for (const { place, input } of [...made, ...below]) await api.run(CreateTask, { input }, place);
    return readTasks(api, made);
  },
});

export const updateTasks = tool({
  description: `Changes up to 50 tasks, all or none: absent fields stay, an empty text or list clears. Returns the tasks as they are now, and the \`operationId\` for \`undo\`. Call \`list_tasks\` or \`search\` before, for their ids. \`completed\`: true when it is done. \`after\` or \`before\`: id of the sibling to put it next to. An empty \`project\` is the inbox, an empty \`parentId\` makes it a task of its own. If only \`dueDate\` changes, the time of day stays. ${formats}`,
  hints: { idempotentHint: true },
  input: {
    tasks: several({ id: z.string(), ...fields, completed: z.boolean().optional(), after: text, before: text }),
    ...keyed,
  },
  output: { tasks: z.array(task), operationId },
  documents: [UpdateTask, MoveTask, Names, WrittenTasks],
  writes: ({ tasks }) => tasks.length,
  async answer({ tasks }, api) {
    let inputOf = await taskInputs(api, tasks);
    const changed = new Set<string>();
    for (const [index, { id, after, before, ...given }] of tasks.entries()) {
      // Its date or place may be another one now.
      if (changed.has(id)) inputOf = await taskInputs(api, tasks);
      changed.add(id);
      const place = `tasks[${index}]`;
      const [input, next] = [inputOf(given, place, id), { after, before }];
      if (isEmpty({ ...input, ...next })) throw invalid(place, 'must have a field that changes');
      if (!isEmpty(input)) await api.run(UpdateTask, { id, input }, place);
      if (!isEmpty(next)) await api.run(MoveTask, { id, ...next }, place);
    }
    return readTasks(api, tasks);
  },
});
