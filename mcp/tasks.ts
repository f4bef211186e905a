import type { FragmentOf } from 'gql.tada';
import { z } from 'zod';
import { graphql } from '../rest/graphql.ts';
import { lower } from '../rest/entity.ts';
import { wholeNumber } from '../src/platform/input.ts';
import { due, dueFilter } from './days.ts';
import { Directory, Names } from './names.ts';
import { type Caller, page, present, reading, shortened, urlOf } from './tool.ts';

export const Claimant = graphql('fragment Claimant on Claim { client holder { id name email } }');

export const TaskFields = graphql(
  'fragment TaskFields on Task { id title priority dueDate dueTime completed parentId project { name } section { name } tags { name } assignees { id name email } recurrence { summary } children { id } claim { ...Claimant } }',
  [Claimant],
);

const names = () => z.array(z.string());

export const priority = z.enum(['high', 'medium', 'low']);

export const task = z.object({
  id: z.string(),
  title: z.string(),
  project: z.string().optional(),
  section: z.string().optional(),
  parentId: z.string().optional(),
  priority: priority.optional(),
  dueDate: z.string().optional(),
  dueTime: z.string().optional(),
  completed: z.boolean().optional(),
  tags: names().optional(),
  moreTags: z.int().optional(),
  assignees: names().optional(),
  repeats: z.string().optional(),
  subtasks: z.int().optional(),
  claimedBy: z.string().optional(),
  url: z.string(),
});

export const nameOf = ({ id, name, email }: { id: string; name: string | null; email: string | null }) =>
  name ?? email ?? id;

export const claimantOf = ({ client, holder }: FragmentOf<typeof Claimant>) => client ?? nameOf(holder);

export const toTask = (caller: Caller, data: FragmentOf<typeof TaskFields>): z.input<typeof task> =>
  shortened({ tags: data.tags }, ({ tags }) => ({
    ...present({
      id: data.id,
      title: data.title,
      project: data.project.name,
      section: data.section?.name,
      parentId: data.parentId,
      priority: data.priority && lower(data.priority),
      dueDate: data.dueDate,
      dueTime: data.dueTime,
      repeats: data.recurrence?.summary,
      claimedBy: data.claim && claimantOf(data.claim),
    }),
    completed: data.completed,
    tags: tags.map(({ name }) => name),
    ...(tags.length < data.tags.length && { moreTags: data.tags.length - tags.length }),
    assignees: data.assignees.map(nameOf),
    subtasks: data.children.length,
    url: urlOf(caller, 'Task', data.id),
  }));

const orders = {
  manual: 'SORT_KEY',
  due: 'DUE_DATE',
  priority: 'PRIORITY',
  created: 'CREATED_AT',
  updated: 'UPDATED_AT',
  title: 'TITLE',
} as const;

const ListTasks = graphql(
  'query ListTasks($filter: TaskFilter!, $orderBy: TaskOrder!, $first: Int!, $after: String) { tasks(filter: $filter, orderBy: $orderBy, first: $first, after: $after) { totalCount pageInfo { hasNextPage endCursor } edges { cursor node { ...TaskFields } } } }',
  [TaskFields],
);

/** Arguments of a page. */
export const paging = {
  limit: wholeNumber(1, 100).default(25).describe('Entries on the page, up to 100.').optional(),
  cursor: z.string().describe('`cursor` of the page before.').optional(),
};

/** Conditions of `list_tasks`, by id or name. */
export const place = {
  project: z.string().describe('Id or name.').optional(),
  section: z.string().describe('Id or name.').optional(),
  tag: z.string().describe('Id or name.').optional(),
  due: due
    .describe('Day in your time zone. `week`: today and the six days after it. `none`: without a due date.')
    .optional(),
  priority: priority.optional(),
};

type Place = { [Name in keyof typeof place]?: z.output<(typeof place)[Name]> };

/** Conditions of `TaskFilter`, and the directory if names were given. */
export async function filterOf(
  caller: Caller,
  { project, section, tag, due: day, priority }: Place,
  assignee?: string,
) {
  const isNamed = [project, section, tag, assignee].some((text) => text !== undefined);
  const directory = isNamed ? await Directory.read(caller) : undefined;
  const projectId = project === undefined ? undefined : directory?.project(project, 'project').id;
  const inSection = section === undefined ? undefined : directory?.section(section, projectId, 'section');
  return {
    ...(await dueFilter(caller, day)),
    ...(projectId !== undefined && { projectId }),
    ...(inSection && { sectionId: inSection.id }),
    ...(tag !== undefined && { tagIds: [directory?.tag(tag, 'tag') ?? ''] }),
    ...(assignee !== undefined && {
      assigneeId: directory?.member(assignee, projectId ?? inSection?.projectId, 'assignee'),
    }),
    ...(priority && { priority: [priority.toUpperCase() as Uppercase<typeof priority>] }),
  };
}

export const listTasks = reading({
  name: 'list_tasks',
  description:
    'Lists tasks by conditions that must all hold: by default the open tasks of all projects, with subtasks. Returns a page of tasks without their descriptions, the `total` that match, and a `cursor` if there are more. `fetch` shows one task in full; `overview` has the names of projects, sections, tags and members. Use `search` for words.',
  input: {
    ...place,
    parentId: z.string().describe('Id of a task: its direct subtasks.').optional(),
    assignee: z.string().describe('Id, name or e-mail address of a member, or `me`.').optional(),
    completed: z.boolean().default(false).describe('True: done tasks instead of open ones.').optional(),
    claimed: z
      .boolean()
      .describe('Only tasks that somebody works on (see `claim_task`), or only the others.')
      .optional(),
    order: z
      .enum(Object.keys(orders) as (keyof typeof orders)[])
      .default('manual')
      .describe('`created` and `updated`: newest first. `priority`: high first.')
      .optional(),
    ...paging,
  },
  output: {
    tasks: z.array(task),
    total: z.int(),
    cursor: z.string().optional(),
  },
  documents: [ListTasks, Names],
  async answer(
    { parentId, assignee, completed = false, claimed, order = 'manual', limit = 25, cursor, ...conditions },
    caller,
  ) {
    const own = await filterOf(caller, conditions, assignee);
    const { tasks } = await caller.run(ListTasks, {
      filter: { completed, ...own, ...present({ claimed, parentId }) },
      orderBy: orders[order],
      first: limit,
      after: cursor ?? null,
    });
    const { entries, ...next } = page(tasks, (node) => toTask(caller, node));
    return { tasks: entries, total: tasks.totalCount, ...next };
  },
});
