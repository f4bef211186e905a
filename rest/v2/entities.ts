import type { FragmentOf } from 'gql.tada';
import { projectFields, sectionFields } from '../../src/projects/fields.ts';
import { tagFields } from '../../src/tags/fields.ts';
import { taskFields } from '../../src/tasks/fields.ts';
import { entity, lower } from '../entity.ts';
import { graphql } from '../graphql.ts';

// What REST shows of each kind, without its relations.

export const task = entity('Task', taskFields, 'A task, as it is answered when it is created or changed.');
export const tag = entity('Tag', tagFields, 'A tag of the caller.');
export const section = entity('Section', sectionFields, 'A section of a project.');
export const project = entity('Project', projectFields);

export const ProjectFields = graphql(
  `
    fragment ProjectOfRest on Project {
      ...ProjectFields
      viewMode
    }
  `,
  [project.fragment],
);

/** A project as the contract shows it. */
export function toProject({ viewMode, ...fields }: FragmentOf<typeof ProjectFields>) {
  return { ...fields, taskDisplayPreferences: viewMode && { viewMode: lower(viewMode) } };
}
