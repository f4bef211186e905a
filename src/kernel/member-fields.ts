import { type Fields, idField } from './fields.ts';

/** The fields of a user that the members of their workspaces see as well. */
export const memberFields = {
  id: idField('User'),
  name: { type: 'text', nullable: true, description: 'Display name; null until it is set.' },
  email: {
    type: 'text',
    nullable: true,
    description: 'The address that signs in, in lower case.',
    rest: { example: 'anna@example.com' },
  },
  image: {
    type: 'text',
    nullable: true,
    isComputed: true,
    description: 'Absolute URL of the avatar, readable without a session; null where none was uploaded.',
  },
} as const satisfies Fields;
