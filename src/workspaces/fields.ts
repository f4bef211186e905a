import { type Fields, idField, nameField } from '../kernel/fields.ts';

/** The fields of a workspace: the GraphQL type, inputs, and what REST, batches and the export show, in this order. */
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

/** The fields of an invitation, likewise; no input has any. */
export const invitationFields = {
  id: idField('Invitation'),
  workspaceId: { type: { idOf: 'Workspace' }, nullable: false, isComputed: true, description: 'Id of the workspace.' },
  workspaceName: { type: 'text', nullable: false, isComputed: true, description: 'Display name of the workspace.' },
  email: { type: 'text', nullable: false, description: 'The address that is invited, in lower case.' },
  createdAt: { type: 'timestamp', nullable: false, description: 'When it was sent.' },
  expiresAt: { type: 'timestamp', nullable: false, description: 'When it ends, if nothing else ends it.' },
} as const satisfies Fields;
