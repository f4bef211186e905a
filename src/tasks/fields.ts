import { z } from 'zod';
import { line, paragraphs } from '../kernel/input.ts';

/** Types of values, by what SQL casts them to. What GraphQL and REST call them: `schema-inputs.ts`, `rest/v2/task-input.ts`. */
export const casts = {
  text: 'text',
  boolean: 'boolean',
  integer: 'integer',
  date: 'date',
  timestamp: 'timestamptz(3)',
  priority: '"Priority"',
} as const;

/** What tasks are written by: `createTask`, `updateTask`, and `updateTasks` for many alike. */
export type TaskInput = 'create' | 'update' | 'bulk';

/** A field of a task that clients write. Its column has its name in snake case; each change of it is logged. */
export interface TaskField {
  type: keyof typeof casts;
  /** What a value may be. */
  shape: z.ZodType;
  /** Whether null is a value, and clears it. If not, a new task takes null for absent, and an update refuses it. */
  nullable: boolean;
  /** The inputs that have it. */
  inputs: readonly TaskInput[];
  /** Whether a new task needs it. */
  required?: true;
  /** What a new task has without it, if not null. */
  default?: boolean;
  /** For the GraphQL schema: what it is; and what it may be, in the inputs, where there is more to say. */
  description: string;
  inputDescription?: string;
}

export const priorities = ['HIGH', 'MEDIUM', 'LOW'] as const;

/**
 * The fields of a task that clients write, each described here and nowhere else: inputs over GraphQL and REST, INSERT and
 * UPDATE follow. Parent, project, section and tags are references: see `placement.ts`.
 */
export const taskFields = {
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
    type: 'priority',
    shape: z.enum(priorities),
    nullable: true,
    inputs: ['create', 'update', 'bulk'],
    description: 'How much it matters.',
  },
  dueDate: {
    type: 'date',
    shape: z.date(),
    nullable: true,
    inputs: ['create', 'update', 'bulk'],
    description: 'The day that it is due.',
  },
  dueTime: {
    type: 'timestamp',
    shape: z.date(),
    nullable: true,
    inputs: ['create', 'update', 'bulk'],
    description: 'The moment that it is due; null unless `isAllDay` is false.',
    inputDescription: 'The moment that it is due; kept where `isAllDay` is false.',
  },
  isAllDay: {
    type: 'boolean',
    shape: z.boolean(),
    nullable: true,
    inputs: ['create', 'update', 'bulk'],
    default: true,
    description: 'Whether it lasts the whole due date.',
    inputDescription: 'Whether it lasts the whole due date; true clears `dueTime`.',
  },
  completed: {
    type: 'boolean',
    shape: z.boolean(),
    nullable: false,
    inputs: ['update', 'bulk'],
    description: 'Whether it is done. Subtasks are done each by itself.',
    inputDescription: 'Whether it is done; sets or clears `completedAt`.',
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
  // Without it, the statement that creates a task looks up what the creator prefers.
  reminder: {
    type: 'boolean',
    shape: z.boolean(),
    nullable: false,
    inputs: ['create', 'update', 'bulk'],
    description: 'Whether a reminder is wanted.',
  },
  sortKey: {
    type: 'text',
    // Any that clients make up, compared bytewise.
    shape: z.string().regex(/^[ -~]{1,255}$/, 'must be 1 to 255 printable ASCII characters'),
    nullable: false,
    inputs: ['update'],
    description: 'Orders the tasks of a project, compared bytewise.',
    inputDescription: '1 to 255 printable ASCII characters; `moveTask` picks a fitting one.',
  },
} as const satisfies Record<string, TaskField>;

type TaskFields = typeof taskFields;

/** Names of the fields that an input has. */
export type FieldOf<Input extends TaskInput> = {
  [Name in keyof TaskFields]: Input extends TaskFields[Name]['inputs'][number] ? Name : never;
}[keyof TaskFields];

/** The fields that an input has. */
export const fieldsOf = <Input extends TaskInput>(input: Input): [FieldOf<Input>, TaskField][] =>
  (Object.entries<TaskField>(taskFields) as [FieldOf<Input>, TaskField][]).filter(([, { inputs }]) =>
    inputs.includes(input),
  );
