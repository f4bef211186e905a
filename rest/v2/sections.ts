import { z } from 'zod';
import { orNotFound } from '../../src/platform/errors.ts';
import { graphql } from '../graphql.ts';
import { route, message } from '../route.ts';
import { idOf } from '../json-schema.ts';
import { section } from './entities.ts';
import * as responses from './responses.ts';
import { TaskTree, TaskWithTags, toListedTodos } from './task-shape.ts';
import { writeSections } from './task-stream.ts';

const path = z.object({ id: idOf('Project'), sectionId: idOf('Section') });

const sectionChanges = z.object({
  ...section.body('update'),
  prevIndex: z.string().nullish(),
  nextIndex: z.string().nullish(),
  projectId: z.string().optional(),
});

/** Contract, 4.3. */
const routes = [
  route({
    method: 'get',
    path: '/api/v2/projects/:id/sections',
    summary: 'Lists the sections of a project with their tasks',
    description: 'Sections and their tasks are ordered by sort key.',
    input: z.object({ path: path.pick({ id: true }) }),
    document: graphql(
      `
        query ListSections($projectId: ID!) {
          project(id: $projectId) {
            sections {
              ...SectionFields
              tasks {
                nodes {
                  ...TaskTree
                }
              }
            }
          }
        }
      `,
      [section.fragment, TaskTree],
    ),
    variables: ({ path: { id } }) => ({ projectId: id }),
    response: z.object({ sections: z.array(responses.sectionWithTodos) }),
    reply: ({ project }, caller) => ({
      sections: orNotFound(project, 'Project').sections.map(({ tasks, ...section }) => ({
        ...section,
        todos: toListedTodos(tasks.nodes, caller),
      })),
    }),
    stream: (streams, { path: { id } }, caller) =>
      streams.sections(section.fragment, TaskWithTags, id, (sections) => writeSections(sections, caller)),
  }),
  route({
    method: 'post',
    path: '/api/v2/projects/:id/sections',
    summary: 'Creates a section at the end of the project',
    description: 'Returns the section with its sort key.',
    input: z.object({ path: path.pick({ id: true }), body: z.object(section.body('create')) }),
    resource: 'Project',
    document: section.mutation('create', section.fragment, { projectId: 'ID!' }),
    variables: ({ path: { id }, body }) => ({ projectId: id, ...body }),
    status: 201,
    response: z.object({ msg: z.literal('project section created'), section: responses.section }),
    reply: ({ createSection }) => ({ msg: 'project section created' as const, section: createSection }),
  }),
  route({
    method: 'patch',
    path: '/api/v2/projects/:id/sections/:sectionId',
    summary: 'Renames a section or moves it, within the project or to another one',
    description:
      '`prevIndex` and `nextIndex` are the sort keys of the sections before and after the new place. Null is the start or the end.',
    input: z.object({ path, body: sectionChanges }),
    resource: 'Section',
    document: section.mutation('update', section.fragment, {
      inProjectId: 'ID!',
      projectId: 'ID',
      prevIndex: 'String',
      nextIndex: 'String',
    }),
    variables: ({ path: { id, sectionId }, body }) => ({ id: sectionId, inProjectId: id, ...body }),
    response: z.object({ msg: z.literal('project section updated sucessfully'), updatedSection: responses.section }),
    reply: ({ updateSection }) => ({
      msg: 'project section updated sucessfully' as const,
      updatedSection: updateSection,
    }),
  }),
  route({
    method: 'delete',
    path: '/api/v2/projects/:id/sections/:sectionId',
    summary: 'Deletes a section; its tasks are kept',
    description: 'Its tasks stay in the project, outside of any section.',
    input: z.object({ path }),
    document: graphql(`
      mutation DeleteSection($id: ID!, $inProjectId: ID!) {
        deleteSection(id: $id, inProjectId: $inProjectId)
      }
    `),
    variables: ({ path: { id, sectionId } }) => ({ id: sectionId, inProjectId: id }),
    ...message('section deleted sucessfully'),
  }),
];

export const sections = { shown: section, routes };
