import { z } from 'zod';
import { type EnumType, type Fields, idField } from '../platform/fields.ts';
import { line, paragraphs } from '../platform/input.ts';

export const priority = {
  name: 'Priority',
  description: 'Priority of a task.',
  values: {
    HIGH: 'Highest priority.',
    MEDIUM: 'Between HIGH and LOW.',
    LOW: 'Lowest priority.',
  },
} as const satisfies EnumType;

/**
 * The only definition of a task's fields. GraphQL, inputs, SQL, REST, batches and the export derive from it, in this
 * order.
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
    // As in the database.
    shape: paragraphs(16_384),
    cost: 1,
    nullable: true,
    inputs: ['create', 'update'],
    description: 'Plain text, up to 16,384 characters.',
  },
  priority: {
    type: priority,
    nullable: true,
    inputs: ['create', 'update', 'bulk'],
    description: 'Priority. Null if none is set.',
  },
  dueDate: {
    type: 'date',
    nullable: true,
    inputs: ['create', 'update', 'bulk'],
    description: 'Due date.',
  },
  dueTime: {
    type: 'timestamp',
    nullable: true,
    inputs: ['create', 'update', 'bulk'],
    description: 'Due time. Null unless `isAllDay` is false.',
    inputDescription: 'Due time. Stored only if `isAllDay` is false.',
  },
  isAllDay: {
    type: 'boolean',
    nullable: true,
    inputs: ['create', 'update', 'bulk'],
    default: true,
    description: 'Whether the task takes the whole due date.',
    inputDescription: 'Whether the task takes the whole due date. True clears `dueTime`.',
  },
  completed: {
    type: 'boolean',
    nullable: false,
    inputs: ['update', 'bulk'],
    description: 'Whether the task is done. Its subtasks have their own state.',
    inputDescription: 'Whether the task is done. Sets or clears `completedAt`.',
  },
  completedAt: {
    type: 'timestamp',
    nullable: true,
    description: 'Completion time. Null if the task is open.',
  },
  color: {
    type: 'text',
    shape: z
      .string()
      // No flags: JSON Schema has none.
      .regex(/^#([\dA-Fa-f]{3}|[\dA-Fa-f]{6}|[\dA-Fa-f]{8})$/, 'must be a hex colour: #RGB, #RRGGBB or #RRGGBBAA'),
    nullable: true,
    inputs: ['create', 'update'],
    description: 'Hex colour: #RGB, #RRGGBB or #RRGGBBAA.',
  },
  sortKey: {
    type: 'text',
    shape: z.string().regex(/^[ -~]{1,255}$/, 'must be 1 to 255 printable ASCII characters'),
    nullable: false,
    inputs: ['update'],
    description: 'Position of the task in its project, compared bytewise.',
    rest: { example: 'a0' },
    inputDescription: '1 to 255 printable ASCII characters. `moveTask` picks a suitable key.',
  },
  // Without a value, the creator's preference applies.
  reminder: {
    type: 'boolean',
    nullable: false,
    inputs: ['create', 'update', 'bulk'],
    description: 'Whether the task has a reminder.',
  },
  parentId: {
    type: { idOf: 'Task' },
    nullable: true,
    description: 'Id of `parent`.',
    rest: { description: 'Id of the parent task.' },
  },
  projectId: {
    type: { idOf: 'Project' },
    nullable: false,
    description: 'Id of `project`.',
    // Null in the inbox (contract decisions, Tasks).
    rest: { nullable: true, description: 'Id of the project. Null in the inbox.' },
  },
  sectionId: {
    type: { idOf: 'Section' },
    nullable: true,
    description: 'Id of `section`.',
    rest: { name: 'projectSectionId', description: 'Id of the section. Null if the task has none.' },
  },
  assigneeIds: {
    type: { idsOf: 'User' },
    listSize: 2,
    nullable: false,
    description: 'Ids of `assignees`.',
    rest: false,
  },
  createdById: {
    type: { idOf: 'User' },
    nullable: true,
    description: 'Id of the user who created the task. Null if the user is not known.',
    rest: false,
  },
  createdAt: { type: 'timestamp', nullable: false, description: 'Creation time.', rest: false },
  updatedAt: {
    type: 'timestamp',
    nullable: false,
    description: 'Time of the last change to one of its fields.',
    rest: false,
  },
} as const satisfies Fields;

const unchanging: readonly string[] = ['id', 'createdAt', 'updatedAt'] satisfies (keyof typeof taskFields)[];

/** Names in `changedFields` of a task, as in the GraphQL type: `section`, not `sectionId`. */
export const changedFields = [
  ...Object.keys(taskFields)
    .filter((name) => !unchanging.includes(name))
    .map((name) => name.replace(/Id(s?)$/, '$1')),
  ...['recurrence', 'tags', 'comments', 'claim'],
];
