import { z } from 'zod';
import { lower } from '../rest/entity.ts';
import { graphql } from '../rest/graphql.ts';
import { notFound } from '../src/platform/errors.ts';
import { Claimant, claimantOf, nameOf } from './tasks.ts';
import { present, reading, shortened, urlOf } from './tool.ts';

const maxFound = 50;

const Search = graphql(
  'query SearchAll($query: String!, $first: Int!) { search(query: $query, first: $first) { tasks { id title } tags { id name } } projects(search: $query) { id name } }',
);

export const search = reading({
  name: 'search',
  description:
    'Finds tasks by words of their titles and descriptions, and projects and tags by their names. It tolerates typos. Returns ids, titles and links, best first, up to 50 of each kind; `fetch` shows one in full. To list tasks by project, day or person, use `list_tasks`.',
  input: { query: z.string().describe('Words, or their beginnings.') },
  output: { results: z.array(z.object({ id: z.string(), title: z.string(), url: z.string() })) },
  documents: [Search],
  async answer({ query }, caller) {
    const { search: found, projects } = await caller.run(Search, { query, first: maxFound });
    const results = [
      ...found.tasks.map(({ id, title }) => ({ id, title, url: urlOf(caller, 'Task', id) })),
      ...projects.slice(0, maxFound).map(({ id, name }) => ({ id, title: name, url: urlOf(caller, 'Project', id) })),
      ...found.tags.map(({ id, name }) => ({ id, title: name, url: urlOf(caller, 'Tag', id) })),
    ];
    return shortened({ results }, (lists) => lists);
  },
});

const WholeTask = graphql(
  'fragment WholeTask on Task { title description priority dueDate dueTime isAllDay color sortKey muted completed completedAt createdAt updatedAt createdById parentId projectId sectionId reminder assigneeIds claim { ...Claimant } tags { id } recurrence { rule summary } children { title completed } comments(last: 20) { nodes { createdAt text author { id name email } } } }',
  [Claimant],
);
const WholeProject = graphql(
  'fragment WholeProject on Project { name workspaceId sections { name } tasks(filter: { completed: false }, first: 50) { totalCount nodes { title } } }',
);
const WholeTag = graphql(
  'fragment WholeTag on Tag { name tagColor: color tasks(filter: { completed: false }, first: 50) { totalCount nodes { title } } }',
);

const Fetch = graphql(
  'query FetchOne($id: ID!) { viewer { id } node(id: $id) { __typename ...WholeTask ...WholeProject ...WholeTag } }',
  [WholeTask, WholeProject, WholeTag],
);

const maxTagIds = 100;

/** Absent without entries. */
const section = (heading: string, lines: readonly string[]) =>
  lines.length > 0 ? [`${heading}:\n${lines.map((line) => `- ${line}`).join('\n')}`] : [];

export const fetchOne = reading({
  name: 'fetch',
  description:
    'Shows a task, project or tag in full. The `text` of a task has its description, the titles of its subtasks and its newest 20 comments with their authors. The text of a project or tag has titles of up to 50 open tasks. A text that is too long ends with “…”. `metadata` has the other fields, with ids: up to 100 of tags. `search` and `list_tasks` have ids.',
  input: { id: z.string().describe('Id of a task, project or tag.') },
  output: {
    id: z.string(),
    title: z.string(),
    text: z.string(),
    url: z.string(),
    metadata: z.looseObject({}),
  },
  documents: [Fetch],
  async answer({ id }, caller) {
    const { node, viewer } = await caller.run(Fetch, { id });
    const show = (kind: 'Task' | 'Project' | 'Tag', title: string, parts: readonly string[], metadata: object) => {
      const pieces = parts.join('\n\n').match(/.{1,100}/gsu) ?? [];
      return shortened({ pieces }, ({ pieces: shown }) => ({
        id,
        title,
        text: shown.join('') + (shown.length < pieces.length ? '…' : ''),
        url: urlOf(caller, kind, id),
        metadata: { ...present(metadata) },
      }));
    };
    if (node?.__typename === 'Task') {
      const { title, description, children, comments, tags, recurrence, priority, claim, ...fields } = node;
      const said = comments.nodes.map(
        ({ author, createdAt, text }) => `${author ? nameOf(author) : 'a former member'}, ${createdAt}: ${text}`,
      );
      const subtasks = children.map((child) => `${child.title}${child.completed ? ' (done)' : ''}`);
      return show('Task', title, [description ?? '', ...section('Subtasks', subtasks), ...section('Comments', said)], {
        ...fields,
        __typename: undefined,
        priority: priority && lower(priority),
        tagIds: tags.slice(0, maxTagIds).map((tag) => tag.id),
        moreTags: tags.length > maxTagIds ? tags.length - maxTagIds : undefined,
        claimedBy: claim && claimantOf(claim),
        repeat: recurrence?.rule,
        repeats: recurrence?.summary,
      });
    }
    if (node?.__typename === 'Project' || node?.__typename === 'Tag') {
      const titles = section(
        'Open tasks',
        node.tasks.nodes.map(({ title }) => title),
      );
      const open = node.tasks.totalCount;
      if (node.__typename === 'Tag') return show('Tag', node.name, titles, { color: lower(node.tagColor), open });
      const sections = section(
        'Sections',
        node.sections.map((each) => each.name),
      );
      return show('Project', node.name, [...sections, ...titles], { spaceId: node.workspaceId ?? viewer?.id, open });
    }
    throw notFound('Task, project or tag');
  },
});
