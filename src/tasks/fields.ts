import { z } from 'zod';
import { type EnumType, type Fields, idField } from '../kernel/fields.ts';
import { line, paragraphs } from '../kernel/input.ts';

export const priority = {
  name: 'Priority',
  description: 'How much a task matters.',
  values: {
    HIGH: 'Before all others.',
    MEDIUM: 'Before what is low or has none.',
    LOW: 'When there is time.',
  },
} as const satisfies EnumType;

/**
 * The fields of a task, each described here and nowhere else: the GraphQL type, inputs over GraphQL and REST, INSERT and UPDATE,
 * what REST, batches and the export show follow, in this order. Where references place a task: `placement.ts`.
 */
export const taskFields = {
  id: idField('Task'),
  title: {
    type: 'text',
    // Contract, part 8.
    shape: line(500),
    nullable: false,
    inputs: ['create', 'update'],
    required: true,
    description: '1 to 500 characters.',
    inputDescription: '1 to 500 characters after trimming.',
  },
  description: {
    type: 'text',
    // The database holds the same bound.
    shape: paragraphs(16_384),
    nullable: true,
    inputs: ['create', 'update'],
    description: 'Plain text, up to 16,384 characters.',
  },
  priority: {
    type: priority,
    nullable: true,
    inputs: ['create', 'update', 'bulk'],
    description: 'How much it matters.',
  },
  dueDate: {
    type: 'date',
    nullable: true,
    inputs: ['create', 'update', 'bulk'],
    description: 'The day that it is due.',
  },
  dueTime: {
    type: 'timestamp',
    nullable: true,
    inputs: ['create', 'update', 'bulk'],
    description: 'The moment that it is due; null unless `isAllDay` is false.',
    inputDescription: 'The moment that it is due; kept where `isAllDay` is false.',
  },
  isAllDay: {
    type: 'boolean',
    nullable: true,
    inputs: ['create', 'update', 'bulk'],
    default: true,
    description: 'Whether it lasts the whole due date.',
    inputDescription: 'Whether it lasts the whole due date; true clears `dueTime`.',
  },
  completed: {
    type: 'boolean',
    nullable: false,
    inputs: ['update', 'bulk'],
    description: 'Whether it is done. Subtasks are done each by itself.',
    inputDescription: 'Whether it is done; sets or clears `completedAt`.',
  },
  completedAt: {
    type: 'timestamp',
    nullable: true,
    description: 'When it was completed; null while it is open.',
  },
  color: {
    type: 'text',
    shape: z
      .string()
      // Without flags: JSON Schema has none.
      .regex(/^#([\dA-Fa-f]{3}|[\dA-Fa-f]{6}|[\dA-Fa-f]{8})$/, 'must be a hex colour: #RGB, #RRGGBB or #RRGGBBAA'),
    nullable: true,
    inputs: ['create', 'update'],
    description: 'Hex colour: #RGB, #RRGGBB or #RRGGBBAA.',
  },
  sortKey: {
    type: 'text',
    // Any that clients make up, compared bytewise.
    shape: z.string().regex(/^[ -~]{1,255}$/, 'must be 1 to 255 printable ASCII characters'),
    nullable: false,
    inputs: ['update'],
    description: 'Orders the tasks of a project, compared bytewise.',
    rest: { example: 'a0' },
    inputDescription: '1 to 255 printable ASCII characters; `moveTask` picks a fitting one.',
  },
  // Without it, the statement that creates a task looks up what the creator prefers.
  reminder: {
    type: 'boolean',
    nullable: false,
    inputs: ['create', 'update', 'bulk'],
    description: 'Whether a reminder is wanted.',
  },
  parentId: {
    type: { idOf: 'Task' },
    nullable: true,
    description: 'Id of `parent`.',
    rest: { description: 'Id of the task that it is a subtask of.' },
  },
  projectId: {
    type: { idOf: 'Project' },
    nullable: false,
    description: 'Id of `project`.',
    // Tasks of the inbox have no project over REST (contract decisions, Tasks).
    rest: { nullable: true, description: 'Id of the project; null in the inbox.' },
  },
  sectionId: {
    type: { idOf: 'Section' },
    nullable: true,
    description: 'Id of `section`.',
    rest: { name: 'projectSectionId', description: 'Id of the section; null outside of all.' },
  },
  createdAt: { type: 'timestamp', nullable: false, description: 'When it was created.', rest: false },
  updatedAt: {
    type: 'timestamp',
    nullable: false,
    description: 'When a field of it was last changed.',
    rest: false,
  },
} as const satisfies Fields;
