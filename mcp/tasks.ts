import type { FragmentOf } from 'gql.tada';
import { z } from 'zod';
import { invalid } from '@taskgate/base';
import { lower, lowerEnum } from '../rest/entity.ts';
import { graphql } from '../rest/graphql.ts';
import { fence, seconds } from '../src/claims/input.ts';
import { dayOf } from '../src/door/index.ts';
import { wholeNumber } from '../src/platform/input.ts';
import * as fields from '../src/tasks/fields.ts';
import { due, dueFilter } from './days.ts';
import { Names, readNames } from './names.ts';
import { page, shortened } from './result.ts';
import { type Api, text, tool, urlOf } from './tool.ts';

export const Claimant = graphql('fragment Claimant on Claim { client holder { id name email } }');

export const TaskFields = graphql(
  'fragment TaskFields on Task { id title parentId priority dueDate dueTime completed project { name } section { name } tags { name } assignees { id name email } recurrence { summary } children { id } claim { ...Claimant } }',
  [Claimant],
);

export const priority = z.enum(['high', 'medium', 'low']);

const names = z.array(z.string()).optional();

export const task = z.object({
  id: z.string(),
  title: z.string(),
  project: text,
  section: text,
  parentId: text,
  priority: priority.optional(),
  dueDate: text,
  dueTime: text,
  completed: z.boolean().optional(),
  tags: names,
  moreTags: z.int().optional(),
  assignees: names,
  repeats: text,
  subtasks: z.int().optional(),
  claimedBy: text,
  url: z.string(),
});

export const nameOf = ({ id, name, email }: { id: string; name: string | null; email: string | null }) =>
  name ?? email ?? id;

export const claimantOf = ({ client, holder }: FragmentOf<typeof Claimant>) => client ?? nameOf(holder);

export function toTask(
  api: Api,
  { project, section, tags, assignees, recurrence, children, claim, ...own }: FragmentOf<typeof TaskFields>,
) {
  const shown = shortened({
    ...own,
    project: project.name,
    section: section?.name,
    priority: lower(own.priority),
    tags: tags.map(({ name }) => name),
    assignees: assignees.map(nameOf),
    repeats: recurrence?.summary,
    subtasks: children.length,
    claimedBy: claim && claimantOf(claim),
    url: urlOf(api, 'Task', own.id),
  });
  return { ...shown, moreTags: tags.length - shown.tags.length || undefined };
}

const orders = {
  manual: 'SORT_KEY',
  due: 'DUE_DATE',
  priority: 'PRIORITY',
  created: 'CREATED_AT',
  updated: 'UPDATED_AT',
  title: 'TITLE',
} as const;

const ListTasks = graphql(
  'query ListTasks($filter: TaskFilter!, $orderBy: TaskOrder!, $first: Int!, $after: String) { tasks(filter: $filter, orderBy: $orderBy, first: $first, after: $after) { totalCount pageInfo { hasNextPage } edges { cursor node { ...TaskFields } } } }',
  [TaskFields],
);

/** Arguments of a page. */
export const paging = {
  limit: wholeNumber(1, 100).default(25).describe('Entries on the page, up to 100.'),
  cursor: z.string().describe('`cursor` of the page before.').optional(),
};

const named = z.string().describe('Id or name.').optional();

const conditionsByName = {
  project: named,
  section: named,
  tag: named,
  due: due
    .describe('Day in your time zone. `week`: today and the six days after it. `none`: without a due date.')
    .optional(),
  priority: lowerEnum(fields.priority).optional(),
};

type Conditions = z.output<z.ZodObject<typeof conditionsByName>> & { assignee?: string | undefined };

/** Conditions of `TaskFilter`. */
async function filterOf(api: Api, { project, section, tag, assignee, due, priority }: Conditions) {
  const isNamed = [project, section, tag, assignee].some((each) => each !== undefined);
  const names = isNamed ? await readNames(api) : undefined;
  const inProject = names?.project(project, 'project');
  const inSection = names?.section(section, 'section', inProject?.id);
  const tagged = names?.tag(tag, 'tag');
  const assigned = names?.member(assignee, 'assignee', inProject?.id ?? inSection?.home);
  return {
    ...(due && dueFilter((await dayOf(api.context)).today, due)),
    projectId: inProject?.id,
    sectionId: inSection?.id,
    tagIds: tagged && [tagged.id],
    assigneeId: assigned?.id,
    priority: priority && [priority],
  };
}

export const listTasks = tool({
  description:
    'Lists tasks by conditions that must all hold: by default the open tasks of all projects, with subtasks. Returns a page of tasks without their descriptions, the `total` that match, and a `cursor` if there are more. `fetch` shows one task in full; `overview` has the names of projects, sections, tags and members. Use `search` for words.',
  input: {
    ...conditionsByName,
    parentId: z.string().describe('Id of a task: its direct subtasks.').optional(),
    assignee: z.string().describe('Id, name or e-mail address of a member, or `me`.').optional(),
    completed: z.boolean().default(false).describe('True: done tasks instead of open ones.'),
    claimed: z
      .boolean()
      .optional()
      .describe('Only tasks that somebody works on (see `claim_task`), or only the others.'),
    order: z
      .enum(Object.keys(orders) as (keyof typeof orders)[])
      .default('manual')
      .describe('`created` and `updated`: newest first. `priority`: high first.'),
    ...paging,
  },
  output: { tasks: z.array(task), total: z.int(), cursor: text },
  documents: [ListTasks, Names],
  async answer({ parentId, completed, claimed, order, limit, cursor, ...conditions }, api) {
    const filter = { completed, claimed, parentId, ...(await filterOf(api, conditions)) };
    const { tasks } = await api.run(ListTasks, { filter, orderBy: orders[order], first: limit, after: cursor });
    const { entries, ...next } = page(tasks, (node) => toTask(api, node));
    return { tasks: entries, total: tasks.totalCount, ...next };
  },
});

const Claimed = graphql('fragment ClaimOfTool on ClaimPayload { fence expiresAt task { ...TaskFields } }', [
  TaskFields,
]);
const Claim = graphql(
  'mutation ClaimByTool($id: ID, $filter: TaskFilter, $seconds: Int!) { claim: claimTask(id: $id, filter: $filter, seconds: $seconds) { ...ClaimOfTool } }',
  [Claimed],
);
const Renew = graphql(
  'mutation RenewByTool($fence: String!, $seconds: Int!) { claim: renewClaim(fence: $fence, seconds: $seconds) { ...ClaimOfTool } }',
  [Claimed],
);
const Release = graphql('mutation ReleaseByTool($fence: String!) { releaseClaim(fence: $fence) { id } }');

export const claimTask = tool({
  description:
    'Claims an open task, so that no other program works on it: the one with this `id`, or the first that nobody has claimed and that fits the conditions, by priority, then due date. Returns the task, its `fence`, and when the claim ends; `claimed: false` if no task fits. While you work, give the `fence` to the tools that write, and call this again with the `fence` alone to renew the claim. It ends when `update_tasks` completes the task, or by `release_claim`.',
  input: {
    id: z.string().describe('Of a task. Not together with conditions.').optional(),
    ...conditionsByName,
    fence: fence.describe('Of your claim, to renew it.').optional(),
    seconds: seconds.default(300).describe('Until the claim ends.'),
  },
  output: { task: task.optional(), fence: text, expiresAt: text, claimed: z.literal(false).optional() },
  documents: [Claim, Renew, Names],
  async answer({ seconds, ...target }, api) {
    const { id, fence, ...conditions } = target;
    const alone = ['fence', 'id'].find((name) => name in target);
    const other = Object.keys(target).find((name) => name !== alone);
    if (alone && other) throw invalid(other, `must not be given with ${alone}`);
    const filter = id === undefined ? await filterOf(api, conditions) : undefined;
    const { claim } = await (fence === undefined
      ? api.run(Claim, { id, filter, seconds })
      : api.run(Renew, { fence, seconds }));
    return claim ? { ...claim, task: toTask(api, claim.task) } : { claimed: false as const };
  },
});

export const releaseClaim = tool({
  description:
    'Ends your claim, so that others can claim the task. Returns the id of the task. Call it if you do not finish a task of `claim_task`; a completed task needs no release.',
  input: { fence: fence.describe('Of your claim.') },
  output: { taskId: z.string() },
  documents: [Release],
  answer: async ({ fence }, api) => ({ taskId: (await api.run(Release, { fence })).releaseClaim.id }),
});
