import { z } from 'zod';
import { invalid } from '@taskgate/base';
import { lowerEnum } from '../rest/entity.ts';
import { graphql } from '../rest/graphql.ts';
import { project, section, tag } from '../rest/v2/entities.ts';
import type { EntityKind } from '../src/platform/entities.ts';
import { isId } from '../src/platform/ids.ts';
import { parse, parseChanges } from '../src/platform/input.ts';
import { tagColor } from '../src/tags/fields.ts';
import { Names, readNames } from './names.ts';
import { keyed, operationId, strict, text, tool } from './tool.ts';

const CreateComment = graphql(
  'mutation CommentByTool($taskId: ID!, $text: String!) { createComment(taskId: $taskId, text: $text) { id taskId } }',
);

export const comment = tool({
  description:
    'Adds a comment to a task, which its followers are told about. Returns its id, and the `operationId` for `undo`. `list_tasks` and `search` have ids of tasks; `fetch` shows earlier comments.',
  input: { taskId: z.string(), text: z.string(), ...keyed },
  output: { id: z.string(), taskId: z.string(), operationId },
  documents: [CreateComment],
  answer: async ({ taskId, text }, api) => (await api.run(CreateComment, { taskId, text })).createComment,
});

const DeleteMany = graphql(
  'mutation DeleteByTool($tasks: [ID!]!, $tags: [ID!]!) { tasks: deleteTasks(ids: $tasks) { deletedIds } tags: deleteTags(ids: $tags) { deletedIds } }',
);
const DeleteSection = graphql('mutation DeleteSectionByTool($id: ID!) { deleteSection(id: $id) }');
const DeleteProject = graphql('mutation DeleteProjectByTool($id: ID!) { deleteProject(id: $id) }');

export const deleteEntities = tool({
  description:
    'Deletes tasks with their subtasks, projects with their tasks, sections, and tags: all or none of up to 100. They go to the trash, and `undo` with the returned `operationId` brings them back. Use it only if the user asks for it; `update_tasks` with `completed` closes a task. `overview`, `list_tasks` and `search` have the ids.',
  hints: { destructiveHint: true, idempotentHint: true },
  input: {
    ids: z.array(z.string()).min(1).max(100).describe('Ids of tasks, projects, sections or tags.'),
    ...keyed,
  },
  output: { deleted: z.array(z.string()), operationId },
  documents: [DeleteMany, DeleteSection, DeleteProject],
  writes: ({ ids }) => ids.length,
  async answer({ ids }, api) {
    const wanted = [...new Set(ids)];
    const placeOf = (id: string) => `ids[${ids.indexOf(id)}]`;
    const ofKind = (kind: EntityKind) => wanted.filter((id) => isId(kind, id));
    const many = await api.run(DeleteMany, { tasks: ofKind('Task'), tags: ofKind('Tag') }, 'ids');
    const deleted = new Set([...many.tasks.deletedIds, ...many.tags.deletedIds]);
    // A project takes its sections along.
    for (const id of ofKind('Section')) deleted.add((await api.run(DeleteSection, { id }, placeOf(id))).deleteSection);
    for (const id of ofKind('Project')) deleted.add((await api.run(DeleteProject, { id }, placeOf(id))).deleteProject);
    const missing = wanted.find((id) => !deleted.has(id));
    if (missing !== undefined)
      throw invalid(placeOf(missing), 'must be the id of a task, project, section or tag that exists');
    return { deleted: wanted };
  },
});

const creating = {
  project: strict({ name: z.string(), workspaceId: text }),
  section: strict({ name: z.string(), project: z.string() }),
  tag: strict({ name: z.string(), color: text }),
};

/** A project stays in its space. */
const changing = {
  project: strict({ name: text }),
  section: strict({ name: text, project: text }),
  tag: strict({ name: text, color: text }),
};

const create = {
  project: project.mutation('create', project.fragment, { workspaceId: 'ID' }),
  section: section.mutation('create', section.fragment, { projectId: 'ID!' }),
  tag: tag.mutation('create', tag.fragment, {}),
};

const update = {
  project: project.mutation('update', project.fragment, {}),
  section: section.mutation('update', section.fragment, { projectId: 'ID' }),
  tag: tag.mutation('update', tag.fragment, {}),
};

export const organize = tool({
  description:
    'Creates a project, section or tag, or changes the one with this `id`: its name, the project of a section, the color of a tag. Returns its id and name, and the `operationId` for `undo`. Call `overview` before: it has what there is.',
  input: {
    type: z.enum(['project', 'section', 'tag']),
    id: z.string().describe('Of the one to change. Absent: a new one.').optional(),
    name: z.string().describe('Required for a new one.').optional(),
    project: z.string().describe('Of a section: id or name. Required for a new one.').optional(),
    workspaceId: z.string().describe('Of a new project: a space of overview. Absent: the personal one.').optional(),
    color: lowerEnum(tagColor).describe('Of a tag.').optional(),
    ...keyed,
  },
  output: { id: z.string(), name: z.string(), operationId },
  documents: [...Object.values(create), ...Object.values(update), Names],
  async answer({ type, id, key: _key, fence: _fence, ...given }, api) {
    if (id === undefined) parse(creating[type], given);
    else parseChanges(changing[type], given);
    const { project, workspaceId, ...own } = given;
    const names = await readNames(api);
    const data = await api.run<object, object>((id === undefined ? create : update)[type], {
      ...own,
      id,
      projectId: names.project(project, 'project')?.id,
      workspaceId: workspaceId === names.personalId ? undefined : workspaceId,
    });
    const [organized] = Object.values(data) as [{ id: string; name: string }];
    return { id: organized.id, name: organized.name };
  },
});
