import type { FragmentOf } from 'gql.tada';
import { z } from 'zod';
import { lower } from '../rest/entity.ts';
import { graphql } from '../rest/graphql.ts';
import { dayOf } from '../src/door/index.ts';
import { notFound, orNotFound } from '../src/platform/errors.ts';
import { dueFilter } from './days.ts';
import { ProjectNames, SpaceNames } from './names.ts';
import { Claimant, claimantOf, nameOf } from './tasks.ts';
import { text, tool, urlOf } from './tool.ts';

const Overview = graphql(
  'query Overview($overdue: TaskFilter!, $today: TaskFilter!) { viewer { id name email } workspaces { ...SpaceNames } projects { ...ProjectNames open: tasks(filter: { completed: false }, first: 1) { totalCount } } tags { id name } overdue: tasks(filter: $overdue, first: 1) { totalCount } today: tasks(filter: $today, first: 1) { totalCount } }',
  [SpaceNames, ProjectNames],
);

const named = z.object({ id: z.string(), name: z.string() });

const shown = (member: Parameters<typeof nameOf>[0]) => ({ id: member.id, name: nameOf(member) });

export const overview = tool({
  description:
    'Describes the user’s account: the day and time zone, spaces with members, projects with sections and their number of `open` tasks, tags, and how many open tasks are overdue and due today. Call it first: other tools take these names and ids. Very long lists are cut; `search` finds the others.',
  input: {},
  output: {
    user: named,
    today: z.string(),
    timeZone: z.string(),
    inboxId: text,
    spaces: z.array(named.extend({ members: z.array(named) })),
    projects: z.array(named.extend({ spaceId: z.string(), open: z.int(), sections: z.array(named) })),
    tags: z.array(named),
    counts: z.object({ overdue: z.int(), today: z.int() }),
  },
  documents: [Overview],
  async answer(_input, api) {
    const { today, timeZone } = await dayOf(api.context);
    const data = await api.run(Overview, {
      overdue: { completed: false, ...dueFilter(today, 'overdue') },
      today: { completed: false, ...dueFilter(today, 'today') },
    });
    const user = shown(orNotFound(data.viewer, 'User'));
    const inboxId = data.projects.find(({ isDefault }) => isDefault)?.id;
    const personal = inboxId === undefined ? [] : [{ ...user, name: 'Personal', members: [user] }];
    const spaces = data.workspaces.map(({ id, name, members }) => ({ id, name, members: members.map(shown) }));
    return {
      user,
      today,
      timeZone,
      inboxId,
      spaces: [...personal, ...spaces],
      projects: data.projects.map(({ id, name, workspaceId, open, sections }) => {
        return { id, name, spaceId: workspaceId ?? user.id, open: open.totalCount, sections };
      }),
      tags: data.tags,
      counts: { overdue: data.overdue.totalCount, today: data.today.totalCount },
    };
  },
});

const maxFound = 50;

const Search = graphql(
  'query SearchAll($query: String!, $first: Int!) { search(query: $query, first: $first) { tasks { id title } tags { id title: name } } projects(search: $query) { id title: name } }',
);

export const search = tool({
  description:
    'Finds tasks by words of their titles and descriptions, and projects and tags by their names. It tolerates typos. Returns ids, titles and links, best first, up to 50 of each kind; `fetch` shows one in full. To list tasks by project, day or person, use `list_tasks`.',
  input: { query: z.string().describe('Words, or their beginnings.') },
  output: { results: z.array(z.object({ id: z.string(), title: z.string(), url: z.string() })) },
  documents: [Search],
  async answer({ query }, api) {
    const { search: found, projects } = await api.run(Search, { query, first: maxFound });
    const byKind = { Task: found.tasks, Project: projects.slice(0, maxFound), Tag: found.tags };
    const results = Object.entries(byKind).flatMap(([kind, entries]) =>
      entries.map(({ id, title }) => ({ id, title, url: urlOf(api, kind, id) })),
    );
    return { results };
  },
});

const WholeTask = graphql(
  'fragment WholeTask on Task { title description priority dueDate dueTime isAllDay color sortKey muted completed completedAt createdAt updatedAt createdById parentId projectId sectionId reminder assigneeIds claim { ...Claimant } tags { id } recurrence { rule summary } children { title completed } comments(last: 20) { nodes { createdAt text author { id name email } } } }',
  [Claimant],
);
const WholeProject = graphql(
  'fragment WholeProject on Project { title: name workspaceId sections { title: name } tasks(filter: { completed: false }, first: 50) { totalCount nodes { title } } }',
);
const WholeTag = graphql(
  'fragment WholeTag on Tag { title: name tagColor: color tasks(filter: { completed: false }, first: 50) { totalCount nodes { title } } }',
);

const Fetch = graphql(
  'query FetchOne($id: ID!) { viewer { id } node(id: $id) { __typename ...WholeTask ...WholeProject ...WholeTag } }',
  [WholeTask, WholeProject, WholeTag],
);

const maxTagIds = 100;

/** Empty without entries. */
const section = (heading: string, entries: readonly { title: string }[]) =>
  entries.length > 0 ? [`${heading}:`, ...entries.map(({ title }) => `- ${title}`)].join('\n') : '';

function showTask(node: FragmentOf<typeof WholeTask>) {
  const { description, children, comments, tags, recurrence, claim, ...fields } = node;
  const subtasks = children.map(({ title, completed }) => ({ title: `${title}${completed ? ' (done)' : ''}` }));
  const said = comments.nodes.map(({ author, createdAt, text }) => ({
    title: `${author ? nameOf(author) : 'a former member'}, ${createdAt}: ${text}`,
  }));
  return {
    parts: [description, section('Subtasks', subtasks), section('Comments', said)],
    metadata: {
      ...fields,
      priority: lower(fields.priority),
      tagIds: tags.slice(0, maxTagIds).map(({ id }) => id),
      moreTags: Math.max(0, tags.length - maxTagIds) || undefined,
      claimedBy: claim && claimantOf(claim),
      repeat: recurrence?.rule,
      repeats: recurrence?.summary,
    },
  };
}

function showList(node: FragmentOf<typeof WholeProject> | FragmentOf<typeof WholeTag>, personalId: string | undefined) {
  const { totalCount: open, nodes } = node.tasks;
  const titles = section('Open tasks', nodes);
  if (!('sections' in node)) return { parts: [titles], metadata: { color: lower(node.tagColor), open } };
  const spaceId = node.workspaceId ?? personalId;
  return { parts: [section('Sections', node.sections), titles], metadata: { spaceId, open } };
}

export const fetchOne = tool({
  description:
    'Shows a task, project or tag in full. The `text` of a task has its description, the titles of its subtasks and its newest 20 comments with their authors. The text of a project or tag has titles of up to 50 open tasks. A text that is too long ends with “…”. `metadata` has the other fields, with ids: up to 100 of tags. `search` and `list_tasks` have ids.',
  input: { id: z.string().describe('Id of a task, project or tag.') },
  output: { id: z.string(), title: z.string(), text: z.string(), url: z.string(), metadata: z.looseObject({}) },
  documents: [Fetch],
  async answer({ id }, api) {
    const { node, viewer } = await api.run(Fetch, { id });
    if (node?.__typename !== 'Task' && node?.__typename !== 'Project' && node?.__typename !== 'Tag')
      throw notFound('Task, project or tag');
    const { __typename: kind, title } = node;
    const { parts, metadata } = kind === 'Task' ? showTask(node) : showList(node, viewer?.id);
    return {
      id,
      title,
      text: parts.filter(Boolean).join('\n\n'),
      url: urlOf(api, kind, id),
      metadata: { ...metadata, __typename: undefined, title: undefined },
    };
  },
});
