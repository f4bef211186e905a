import type { FragmentOf } from 'gql.tada';
import { projectFields, sectionFields } from '../../src/projects/fields.ts';
import { tagFields } from '../../src/tags/fields.ts';
import { commentFields } from '../../src/comments/fields.ts';
import { memberFields } from '../../src/platform/member-fields.ts';
import { deliveryFields } from '../../src/notifications/fields.ts';
import { occurrenceFields, recurrenceFields } from '../../src/recurrence/fields.ts';
import { taskFields } from '../../src/tasks/fields.ts';
import { invitationFields, membershipFields, workspaceFields } from '../../src/workspaces/fields.ts';
import { entity, lower } from '../entity.ts';
import { graphql } from '../graphql.ts';

// Without relations.

export const task = entity('Task', taskFields, 'A task, as create and update return it.');
export const tag = entity('Tag', tagFields, 'A tag of the caller.');
export const section = entity('Section', sectionFields, 'A section of a project.');
export const project = entity('Project', projectFields);
export const workspace = entity('Workspace', workspaceFields);
export const member = entity('Member', memberFields, 'A member of a workspace.');
export const comment = entity('Comment', commentFields);
export const membership = entity('Membership', membershipFields);
export const invitation = entity('Invitation', invitationFields);
export const delivery = entity('Delivery', deliveryFields);
export const occurrence = entity('Occurrence', occurrenceFields);
export const recurrence = entity('Recurrence', recurrenceFields);

export const ProjectFields = graphql('fragment ProjectOfRest on Project { ...ProjectFields viewMode }', [
  project.fragment,
]);

export function toProject({ viewMode, ...fields }: FragmentOf<typeof ProjectFields>) {
  return { ...fields, taskDisplayPreferences: viewMode && { viewMode: lower(viewMode) } };
}
