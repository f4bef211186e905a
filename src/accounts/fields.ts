import { type Fields, idField } from '../kernel/fields.ts';
import { text, wholeNumber } from '../kernel/input.ts';
import { memberFields } from '../kernel/member-fields.ts';

/** Fields of a user in GraphQL, REST and the export, in this order. */
export const userFields = {
  ...memberFields,
  isPasswordSet: {
    type: 'boolean',
    nullable: false,
    isComputed: true,
    description: 'False for an account of an external provider until a password is set.',
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
    description: 'When the account was made.',
    rest: { nullable: true },
  },
} as const satisfies Fields;

/** Fields of a session in GraphQL, REST and the export, in this order. */
export const sessionFields = {
  id: { ...idField('Session'), description: 'TypeID with the prefix `sess`; the cookie holds another value.' },
  device: {
    type: 'text',
    nullable: false,
    description:
      'Browser and system, as the client named them when it signed in: `Firefox on Linux`; `Unknown device` where it did not.',
  },
  createdAt: { type: 'timestamp', nullable: false, description: 'When it began: the sign-in or sign-up.' },
  lastUsedAt: { type: 'timestamp', nullable: false, description: 'When it was last used, to the hour.' },
  current: { type: 'boolean', nullable: false, description: 'Whether it is the one that asks.' },
} as const satisfies Fields;

/** Fields of a passkey in GraphQL, REST and the export, in this order. */
export const passkeyFields = {
  id: idField('Passkey'),
  name: { type: 'text', nullable: false, description: 'What the user calls it.' },
  createdAt: { type: 'timestamp', nullable: false, description: 'When it was added.' },
  lastUsedAt: { type: 'timestamp', nullable: true, description: 'When it last signed in; null: never.' },
} as const satisfies Fields;

const isTimeZone = (value: string) => {
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: value }));
  } catch {
    return false;
  }
};

const flag = { type: 'boolean', nullable: false, inputs: ['update'] } as const;

/** Fields of the preferences in GraphQL, REST and the export, in this order. */
export const preferencesFields = {
  emailEnabled: { ...flag, description: 'Whether mails are sent, apart from codes and notices.' },
  reminderBefore: {
    type: 'integer',
    shape: wholeNumber(0, 40_320),
    nullable: false,
    inputs: ['update'],
    description: 'Minutes before the due time of a task at which its reminder is sent, 0 to 40,320.',
  },
  taskRemainders: { ...flag, description: 'Whether reminders are sent.' },
  automaticRemainder: {
    ...flag,
    description: 'Whether a new task with a due date has a reminder where its creator does not say.',
  },
  dailyDigest: { ...flag, description: 'Whether a daily mail lists what is due.' },
  digestTime: {
    type: 'text',
    shape: text().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day, as HH:MM'),
    nullable: true,
    inputs: ['update'],
    description: 'Time of day of the digest in `timeZone`, as HH:MM; null: 08:00.',
    rest: { description: 'Local time of the digest, as HH:MM; null: 08:00.', example: '08:00' },
  },
  timeZone: {
    type: 'text',
    shape: text().refine(isTimeZone, { error: 'must be an IANA time zone, such as Europe/Berlin' }),
    nullable: false,
    inputs: ['update'],
    description: 'IANA name of the time zone, such as `Europe/Berlin`.',
    rest: { description: 'IANA name.', example: 'Europe/Berlin' },
  },
} as const satisfies Fields;
