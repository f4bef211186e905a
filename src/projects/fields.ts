import { type EnumType, type Fields, idField, nameField } from '../platform/fields.ts';

export const viewMode = {
  name: 'ViewMode',
  description: 'How a project shows its tasks.',
  values: {
    LIST: 'A list.',
    BOARD: 'A column for each section.',
    CALENDAR: 'By due date.',
  },
} as const satisfies EnumType;

const displayName = {
  ...nameField,
  description: 'Display name.',
  rest: { description: '' },
  inputDescription: '1 to 255 characters after trimming.',
} as const;

/** Fields in GraphQL, inputs, REST, batches and the export. */
export const projectFields = {
  id: idField('Project'),
  name: displayName,
  personal: {
    type: 'boolean',
    nullable: false,
    description: 'Whether the project is personal. Only its owner sees it then. False for a project of a workspace.',
    isComputed: true,
    rest: { description: 'True if only its owner sees it. False for a project of a workspace.' },
  },
  slug: {
    type: 'text',
    nullable: true,
    description: 'URL-safe form of the name with a short suffix of the id. It changes with the name.',
    rest: { description: 'URL-safe form of the name.' },
  },
  isDefault: {
    type: 'boolean',
    nullable: false,
    description: 'True only for the inbox. Each user has exactly one.',
    rest: { description: 'True only for the inbox.' },
  },
  // Part of `taskDisplayPreferences` in REST.
  viewMode: {
    type: viewMode,
    nullable: true,
    inputs: ['update'],
    isNullAbsent: true,
    description: 'How the project shows its tasks. Null if never changed.',
    rest: false,
    inputDescription: 'How the project shows its tasks.',
  },
} as const satisfies Fields;

export const sectionFields = {
  id: idField('Section'),
  name: displayName,
  sortKey: {
    type: 'text',
    nullable: false,
    description: 'Position in the project. Sections are sorted by it bytewise.',
    rest: { description: 'Position in the project. Sections are sorted by it bytewise.', example: 'a0' },
  },
  projectId: {
    type: { idOf: 'Project' },
    nullable: false,
    description: 'Id of the project.',
    rest: { description: 'Id of the project.' },
  },
} as const satisfies Fields;
