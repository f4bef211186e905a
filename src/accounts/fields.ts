import { type EnumType, type Fields, idField } from '../platform/fields.ts';
import { text, timeZone, wholeNumber } from '../platform/input.ts';
import { memberFields } from '../platform/member-fields.ts';

export const userFields = {
  ...memberFields,
  isPasswordSet: {
    type: 'boolean',
    nullable: false,
    isComputed: true,
    description: 'Whether a password is set. False for a new account of an external provider.',
  },
  isOAuthLinked: {
    type: 'boolean',
    nullable: false,
    isComputed: true,
    description: 'Whether the account is linked to an external provider.',
  },
  provider: { type: 'text', nullable: true, description: 'Name of the linked external provider.' },
  createdAt: {
    type: 'timestamp',
    nullable: false,
    description: 'Time of the sign-up.',
    rest: { nullable: true },
  },
} as const satisfies Fields;

export const sessionFields = {
  id: { ...idField('Session'), description: 'TypeID with the prefix `sess`. It differs from the value of the cookie.' },
  device: {
    type: 'text',
    nullable: false,
    description:
      'Browser and system that the client named at sign-in, such as `Firefox on Linux`, or `Unknown device`.',
  },
  createdAt: { type: 'timestamp', nullable: false, description: 'Time of the sign-in or sign-up.' },
  lastUsedAt: { type: 'timestamp', nullable: false, description: 'Time of the last use, to the hour.' },
  current: { type: 'boolean', nullable: false, description: 'Whether this request uses it.' },
} as const satisfies Fields;

export const passkeyFields = {
  id: idField('Passkey'),
  name: { type: 'text', nullable: false, description: 'Name that the user chose.' },
  createdAt: { type: 'timestamp', nullable: false, description: 'Time of the registration.' },
  lastUsedAt: {
    type: 'timestamp',
    nullable: true,
    description: 'Time of the last sign-in. Null if it has never been used.',
  },
} as const satisfies Fields;

const flag = { type: 'boolean', nullable: false, inputs: ['update'] } as const;

export const activityMails = {
  name: 'ActivityMails',
  description: 'Which mails about tasks a user gets.',
  values: {
    ALL: 'About assignments, mentions and comments.',
    DIRECT: 'About assignments and mentions.',
    NONE: 'None.',
  },
} as const satisfies EnumType;

export const preferencesFields = {
  emailEnabled: { ...flag, description: 'Whether mails are sent. Codes and notices are always sent.' },
  reminderBefore: {
    type: 'integer',
    shape: wholeNumber(0, 40_320),
    nullable: false,
    inputs: ['update'],
    description: 'Minutes between the reminder of a task and its due time, 0 to 40,320.',
  },
  taskRemainders: { ...flag, description: 'Whether reminders are sent.' },
  automaticRemainder: {
    ...flag,
    description: 'Whether a new task with a due date has a reminder by default.',
  },
  dailyDigest: { ...flag, description: 'Whether a daily mail lists due tasks.' },
  digestTime: {
    type: 'text',
    shape: text().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day, as HH:MM'),
    nullable: true,
    inputs: ['update'],
    description: 'Time of day of the digest in `timeZone`, as HH:MM. 08:00 if null.',
    rest: { description: 'Local time of the digest, as HH:MM. 08:00 if null.', example: '08:00' },
  },
  timeZone: {
    type: 'text',
    shape: timeZone(),
    nullable: false,
    inputs: ['update'],
    description: 'IANA name of the time zone, such as `Europe/Berlin`.',
    rest: { description: 'IANA name.', example: 'Europe/Berlin' },
  },
  activityMails: {
    type: activityMails,
    nullable: false,
    inputs: ['update'],
    description: 'Which mails about unread notifications are sent.',
  },
} as const satisfies Fields;
