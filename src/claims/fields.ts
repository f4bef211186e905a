import type { Fields } from '../platform/fields.ts';

export const claimFields = {
  fence: {
    type: 'text',
    isComputed: true,
    nullable: false,
    description: 'A number, larger for each later claim. Writes name it to depend on the claim.',
  },
  taskId: { type: { idOf: 'Task' }, nullable: false, description: 'Id of the task.' },
  client: {
    type: 'text',
    nullable: true,
    description: 'Device of the session, or name of the access token, that claimed the task.',
  },
  since: { type: 'timestamp', nullable: false, description: 'Time of the claim.' },
} as const satisfies Fields;
