import { type Fields, idField } from './fields.ts';

/** Fields that fellow members of a workspace also see. */
export const memberFields = {
  id: idField('User'),
  name: { type: 'text', nullable: true, description: 'Display name. Null until it is set.' },
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
    description: 'Absolute URL of the avatar, readable without a session. Null if none was uploaded.',
  },
} as const satisfies Fields;
