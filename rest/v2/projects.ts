import type { FragmentOf } from 'gql.tada';
import { z } from 'zod';
import { orNotFound } from '../../src/platform/errors.ts';
import { text } from '../../src/platform/input.ts';
import { viewMode } from '../../src/projects/fields.ts';
import { changesOf, lowerEnum } from '../entity.ts';
import { graphql } from '../graphql.ts';
import { route, message } from '../route.ts';
import { idOf } from '../json-schema.ts';
import * as responses from './responses.ts';
import { project, ProjectFields, toProject } from './entities.ts';

/** The contract has `todos`, always empty. */
const withTodos = (project: FragmentOf<typeof ProjectFields>) => ({ ...toProject(project), todos: [] });

const path = z.object({ id: idOf('Project') });

const newProject = z
  .object({ ...project.body('create'), workspaceId: z.string().optional(), personal: z.boolean().optional() })
  .refine(({ personal, workspaceId }) => (personal === true) !== (workspaceId !== undefined), {
    error: 'must have either personal: true or workspaceId',
  });

const projectChanges = changesOf({
  ...project.body('update'),
  taskDisplayPreferences: z.object({ viewMode: lowerEnum(viewMode) }).optional(),
});

const ProjectOfWorkspace = graphql('fragment ProjectOfWorkspace on Project { ...ProjectOfRest workspaceId }', [
  ProjectFields,
]);

/** Batches and the export add the workspace. */
const shown = {
  ...project,
  fragment: ProjectOfWorkspace,
  show: ({ workspaceId, ...fields }: FragmentOf<typeof ProjectOfWorkspace>) => ({ ...toProject(fields), workspaceId }),
  response: responses.projectOfWorkspace,
};

/** Contract, 4.3. */
const routes = [
  route({
    method: 'get',
    path: '/api/v2/projects',
    summary: 'Lists the projects',
    description: "Returns the inbox, personal projects, and projects of the caller's workspaces.",
    document: graphql('query ListProjects { projects { ...ProjectOfRest } }', [ProjectFields]),
    response: z.object({ projects: z.array(responses.project) }),
    reply: (data) => ({ projects: data.projects.map(toProject) }),
  }),
  route({
    method: 'get',
    path: '/api/v2/projects/inbox',
    summary: 'Reads the inbox',
    description: 'The inbox holds the tasks without a project. Each account has exactly one.',
    document: graphql('query GetInbox { inbox { ...ProjectOfRest } }', [ProjectFields]),
    response: z.object({ inbox: responses.projectWithTodos }),
    reply: ({ inbox }) => ({ inbox: withTodos(inbox) }),
  }),
  route({
    method: 'get',
    path: '/api/v2/projects/personal',
    summary: 'Lists the personal projects whose name contains the search',
    description: 'Case is ignored. An empty search returns all personal projects.',
    input: z.object({ query: z.object({ search: text().describe('Part of the name. Empty for all.') }) }),
    document: graphql(
      'query ListPersonalProjects($search: String!) { projects(search: $search, personal: true) { ...ProjectOfRest } }',
      [ProjectFields],
    ),
    response: z.object({ personalProjects: z.array(responses.projectWithTodos) }),
    reply: (data) => ({ personalProjects: data.projects.map(withTodos) }),
  }),
  route({
    method: 'post',
    path: '/api/v2/projects',
    summary: 'Creates a project, personal or in a workspace',
    description:
      'Exactly one of `personal: true` and `workspaceId` is required. FORBIDDEN if the caller is not a member of the workspace.',
    input: z.object({ body: newProject }),
    document: project.mutation('create', ProjectFields, { workspaceId: 'ID' }),
    variables: ({ body: { personal: _personal, ...fields } }) => fields,
    status: 201,
    response: z.object({ message: z.literal('Successfully created project'), project: responses.project }),
    reply: ({ createProject }) => ({
      message: 'Successfully created project' as const,
      project: toProject(createProject),
    }),
  }),
  route({
    method: 'get',
    path: '/api/v2/projects/:id',
    summary: 'Reads a project',
    description: 'Its `todos` are always empty: list its tasks by its sections or by `/api/v2/todo`.',
    input: z.object({ path }),
    document: graphql('query GetProject($id: ID!) { project(id: $id) { ...ProjectOfRest } }', [ProjectFields]),
    response: z.object({ project: responses.projectWithTodos }),
    reply: ({ project }) => ({ project: withTodos(orNotFound(project, 'Project')) }),
  }),
  route({
    method: 'put',
    path: '/api/v2/projects/:id',
    summary: 'Changes name and view mode of a project',
    description: 'At least one of `name` and `taskDisplayPreferences` is required.',
    input: z.object({ path, body: projectChanges }),
    resource: 'Project',
    document: project.mutation('update', ProjectFields, {}),
    variables: ({ path: { id }, body: { taskDisplayPreferences, ...fields } }) => ({
      ...fields,
      id,
      viewMode: taskDisplayPreferences?.viewMode,
    }),
    response: z.object({ message: z.literal('project updated successfully'), project: responses.project }),
    reply: ({ updateProject }) => ({
      message: 'project updated successfully' as const,
      project: toProject(updateProject),
    }),
  }),
  route({
    method: 'delete',
    path: '/api/v2/projects/:id',
    summary: 'Deletes a project with all its sections and tasks',
    description: 'They can be restored from the trash. The inbox cannot be deleted.',
    input: z.object({ path }),
    document: graphql('mutation DeleteProject($id: ID!) { deleteProject(id: $id) }'),
    ...message('project deleted successfully'),
  }),
];

export const projects = { shown, routes };
