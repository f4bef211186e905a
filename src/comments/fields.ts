import { type Fields, idField } from '../platform/fields.ts';
import { line } from '../platform/input.ts';

export const commentFields = {
  id: idField('Comment'),
  taskId: {
    type: { idOf: 'Task' },
    nullable: false,
    description: 'Id of `task`.',
    rest: { description: 'Id of the task.' },
  },
  authorId: { type: { idOf: 'User' }, nullable: true, description: 'Id of `author`.', rest: false },
  text: {
    type: 'text',
    // As in the database.
    shape: line(16_384),
    cost: 1,
    nullable: false,
    inputs: ['create', 'update'],
    required: true,
    isNullAbsent: true,
    description:
      'Plain text, 1 to 16,384 characters. `@` and the id of a member of the space mention that member, such as `@user_01k8m3f5s8e5bb9g0q2v7x4c6d`.',
    inputDescription:
      'Plain text, 1 to 16,384 characters after trimming, with mentions of at most 20 members: `@` and an id.',
  },
  createdAt: { type: 'timestamp', nullable: false, description: 'Creation time.' },
  editedAt: {
    type: 'timestamp',
    nullable: true,
    description: 'Time of the last change of its text. Null if never edited.',
  },
} as const satisfies Fields;
