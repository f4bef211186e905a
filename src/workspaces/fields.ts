import { type Fields, idField, nameField } from '../platform/fields.ts';
import { workspaceRole } from '../platform/roles.ts';

/** Fields in GraphQL, inputs, REST, batches and the export. */
export const workspaceFields = {
  id: idField('Workspace'),
  name: {
    ...nameField,
    inputs: ['create'],
    description: 'Display name.',
    rest: { description: '' },
    inputDescription: '1 to 255 characters after trimming.',
  },
} as const satisfies Fields;

/** Fields of a member. */
export const membershipFields = {
  role: { type: workspaceRole, nullable: false, description: 'Role of the member.' },
  joinedAt: { type: 'timestamp', nullable: false, isComputed: true, description: 'Time of joining.' },
} as const satisfies Fields;

/** No input has any of these fields. */
export const invitationFields = {
  id: idField('Invitation'),
  workspaceId: { type: { idOf: 'Workspace' }, nullable: false, isComputed: true, description: 'Id of the workspace.' },
  workspaceName: { type: 'text', nullable: false, isComputed: true, description: 'Display name of the workspace.' },
  email: { type: 'text', nullable: false, description: 'Invited address, in lower case.' },
  role: { type: workspaceRole, nullable: false, description: 'Role of the new member.' },
  createdAt: { type: 'timestamp', nullable: false, description: 'Time of the invitation.' },
  expiresAt: { type: 'timestamp', nullable: false, description: 'Expiry time.' },
} as const satisfies Fields;
