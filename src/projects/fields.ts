import { type EnumType, type Fields, idField, nameField } from '../kernel/fields.ts';

export const viewMode = {
  name: 'ViewMode',
  description: 'How a project shows its tasks.',
  values: {
    LIST: 'One below the other.',
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

/** The fields of a project: the GraphQL type, inputs, and what REST, batches and the export show, in this order. */
export const projectFields = {
  id: idField('Project'),
  name: displayName,
  personal: {
    type: 'boolean',
    nullable: false,
    description: 'True for a project that its owner alone sees; false for one of a workspace.',
    isComputed: true,
    rest: { description: 'True: its owner alone sees it; false: it is of a workspace.' },
  },
  slug: {
    type: 'text',
    nullable: true,
    description: 'URL-safe form of the name with a short suffix of the id; follows a rename.',
    rest: { description: 'Made of the name, for URLs.' },
  },
  isDefault: {
    type: 'boolean',
    nullable: false,
    description: 'True for the inbox alone; each user has exactly one.',
    rest: { description: 'True of the inbox alone.' },
  },
  // REST has it within `taskDisplayPreferences`.
  viewMode: {
    type: viewMode,
    nullable: true,
    inputs: ['update'],
    isNullAbsent: true,
    description: 'How the project shows its tasks; null if never changed.',
    rest: false,
    inputDescription: 'How the project shows its tasks.',
  },
} as const satisfies Fields;

/** The fields of a section, likewise. */
export const sectionFields = {
  id: idField('Section'),
  name: displayName,
  sortKey: {
    type: 'text',
    nullable: false,
    description: 'Its place in the project: sections sort by it, compared bytewise.',
    rest: { description: 'Orders the sections of a project, compared bytewise.', example: 'a0' },
  },
  projectId: {
    type: { idOf: 'Project' },
    nullable: false,
    description: 'Id of the project that it belongs to.',
    rest: { description: 'Id of the project.' },
  },
} as const satisfies Fields;
