import { z } from 'zod';
import { invalid } from '@taskgate/base';
import { graphql } from '../rest/graphql.ts';
import { isId } from '../src/platform/ids.ts';
import { tagColor } from '../src/tags/fields.ts';
import { documentOf } from './calls.ts';
import { Directory, Names } from './names.ts';
import { type Mutation, type Step, writing } from './tool.ts';

const createComment = {
  name: 'createComment',
  types: { taskId: 'ID!', text: 'String!' },
  fragment: graphql('fragment CommentOfTool on Comment { id taskId }'),
};

export const comment = writing({
  name: 'comment',
  description:
    'Adds a comment to a task, which its followers are told about. Returns its id, and the `operationId` for `undo`. `list_tasks` and `search` have ids of tasks; `fetch` shows earlier comments.',
  input: { taskId: z.string(), text: z.string() },
  output: { id: z.string(), taskId: z.string() },
  documents: [documentOf('comment', [createComment])],
  async answer({ taskId, text }, caller) {
    const [created] = await caller.mutate([{ mutation: createComment, args: { taskId, text }, place: '' }]);
    return created;
  },
});

/** In this order: a section or project takes its tasks along. */
const deletable = ['Task', 'Tag', 'Section', 'Project'] as const;

type Deleted = string | { deletedIds: string[] };

const deletions: Readonly<Record<(typeof deletable)[number], Mutation<Deleted>>> = {
  Task: {
    name: 'deleteTasks',
    types: { ids: '[ID!]!' },
    fragment: graphql('fragment DeletedTasks on DeleteTasksPayload { deletedIds }'),
  },
  Tag: {
    name: 'deleteTags',
    types: { ids: '[ID!]!' },
    fragment: graphql('fragment DeletedTags on DeleteTagsPayload { deletedIds }'),
  },
  Section: { name: 'deleteSection', types: { id: 'ID!' } },
  Project: { name: 'deleteProject', types: { id: 'ID!' } },
};

export const deleteEntities = writing({
  name: 'delete',
  description:
    'Deletes tasks with their subtasks, projects with their tasks, sections, and tags: all or none of up to 100. They go to the trash, and `undo` with the returned `operationId` brings them back. Use it only if the user asks for it; `update_tasks` with `completed` closes a task. `overview`, `list_tasks` and `search` have the ids.',
  input: { ids: z.array(z.string()).min(1).max(100).describe('Ids of tasks, projects, sections or tags.') },
  output: { deleted: z.array(z.string()) },
  documents: [documentOf('delete', Object.values(deletions))],
  hints: { destructiveHint: true, idempotentHint: true },
  async answer({ ids }, caller) {
    const wanted = [...new Set(ids)];
    const placeOf = (id: string) => `ids[${ids.indexOf(id)}]`;
    const other = wanted.find((id) => !deletable.some((kind) => isId(kind, id)));
    if (other !== undefined) throw invalid(placeOf(other), 'must be the id of a task, project, section or tag');
    const steps = deletable.flatMap((kind): Step<Deleted>[] => {
      const mutation = deletions[kind];
      const own = wanted.filter((id) => isId(kind, id));
      if ('id' in mutation.types) return own.map((id) => ({ mutation, args: { id }, place: placeOf(id) }));
      return own.length > 0 ? [{ mutation, args: { ids: own }, place: 'ids' }] : [];
    });
    const results = await caller.mutate(steps);
    const deleted = new Set(results.flatMap((each) => (typeof each === 'string' ? [each] : each.deletedIds)));
    const missing = wanted.find((id) => !deleted.has(id));
    if (missing !== undefined) throw invalid(placeOf(missing), 'must be the id of something that exists');
    return { deleted: wanted };
  },
});

const project = graphql('fragment OrganizedProject on Project { id name }');
const section = graphql('fragment OrganizedSection on Section { id name }');
const tag = graphql('fragment OrganizedTag on Tag { id name }');

/** A project stays in its space. */
const organizing = {
  project: {
    create: { name: 'createProject', types: { name: 'String!', workspaceId: 'ID' }, fragment: project },
    update: { name: 'updateProject', types: { id: 'ID!', name: 'String' }, fragment: project },
  },
  section: {
    create: { name: 'createSection', types: { name: 'String!', projectId: 'ID!' }, fragment: section },
    update: { name: 'updateSection', types: { id: 'ID!', name: 'String', projectId: 'ID' }, fragment: section },
  },
  tag: {
    create: { name: 'createTag', types: { name: 'String!', color: 'TagColor' }, fragment: tag },
    update: { name: 'updateTag', types: { id: 'ID!', name: 'String', color: 'TagColor' }, fragment: tag },
  },
};

const colors = Object.keys(tagColor.values).map((each) => each.toLowerCase());

export const organize = writing({
  name: 'organize',
  description:
    'Creates a project, section or tag, or changes the one with this `id`: its name, the project of a section, the color of a tag. Returns its id and name, and the `operationId` for `undo`. Call `overview` before: it has what there is.',
  input: {
    type: z.enum(['project', 'section', 'tag']),
    id: z.string().describe('Of the one to change. Absent: a new one.').optional(),
    name: z.string().describe('Required for a new one.').optional(),
    project: z.string().describe('Of a section: id or name. Required for a new one.').optional(),
    workspaceId: z.string().describe('Of a new project: a space of overview. Absent: the personal one.').optional(),
    color: z.enum(colors).describe('Of a tag.').optional(),
  },
  output: { id: z.string(), name: z.string() },
  documents: [
    ...Object.values(organizing).map(({ create, update }) => documentOf('organize', [create, update])),
    Names,
  ],
  async answer({ type, id, name, project, workspaceId, color }, caller) {
    const given = { project, workspaceId, color };
    const owners = { project: 'section', workspaceId: 'project', color: 'tag' } as const;
    for (const [argument, owner] of Object.entries(owners))
      if (given[argument as keyof typeof given] !== undefined && owner !== type)
        throw invalid(argument, `must only be given for a ${owner}`);
    if (id === undefined && name === undefined) throw invalid('name', `must be given for a new ${type}`);
    if (id === undefined && type === 'section' && project === undefined)
      throw invalid('project', 'must be given for a new section');
    if (id !== undefined && workspaceId !== undefined)
      throw invalid('workspaceId', 'must only be given for a new project');
    if (id !== undefined && (name ?? project ?? color) === undefined)
      throw invalid('name', { project: '', section: 'or project ', tag: 'or color ' }[type] + 'must be given');
    const directory = await Directory.read(caller);
    const args = {
      ...{ id, name, color: color?.toUpperCase() },
      ...(project !== undefined && { projectId: directory.project(project, 'project').id }),
      ...(workspaceId !== undefined && workspaceId !== directory.personalId && { workspaceId }),
    };
    const mutation = organizing[type][id === undefined ? 'create' : 'update'];
    const [changed] = await caller.mutate([{ mutation, args, place: '' }]);
    return changed;
  },
});
