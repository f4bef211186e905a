import { z } from 'zod';
import { codePoints, line, name, text, unclearable, wholeNumber } from '../kernel/input.ts';

/** A domain that mail can be sent to has a dot in it; Unicode is allowed on either side (RFC 6531). */
const address = /^[^\s@"(),:;<>[\\\]]+@[^\s@"(),:;<>[\\\]._]+(\.[^\s@"(),:;<>[\\\]._]+)+$/u;

/** Code points of an e-mail address at the most (RFC 5321, 4.5.3.1.3, less the angle brackets). */
const maxEmailLength = 254;

/** An e-mail address: trimmed, lower-cased, validated. */
export const email = text()
  .trim()
  .toLowerCase()
  .pipe(
    z.string().refine((value) => codePoints(value) <= maxEmailLength && address.test(value), {
      error: `must be an e-mail address of at most ${maxEmailLength} characters`,
    }),
  )
  .meta({ format: 'email', maxLength: maxEmailLength, examples: ['anna@example.com'] });

/** Code points of a password at the most. */
const maxPasswordLength = 1024;

/** The contract sets no other rule than a length. */
export const password = text()
  .refine((value) => value !== '' && codePoints(value) <= maxPasswordLength, {
    error: `must be 1 to ${maxPasswordLength} characters long`,
  })
  .meta({ format: 'password', minLength: 1, maxLength: maxPasswordLength });

/** The six-digit code of the sign-up mail. */
export const code = text()
  .regex(/^\d{6}$/, 'must be the six digits of the code')
  .meta({ examples: ['123456'] });

/** Spaces that a token can name: as many as an account can have. */
const maxSpaces = 101;

export const signUp = z.object({ email, code, password });

export const signIn = z.object({
  email: text(),
  password: text(),
  totp: text().nullish().meta({
    description: 'A code of the authenticator app, or a recovery code: needed where TOTP is on.',
    'x-addition': true,
  }),
});

export const deleteAccount = z.object({ password: text().nullish() });

export const changePassword = z
  .object({ currentPassword: text().nullish(), newPassword: password, confirmNewPassword: text() })
  .refine((input) => input.newPassword === input.confirmNewPassword, {
    path: ['confirmNewPassword'],
    error: 'must equal newPassword',
  });

/** A new access token: the spaces, where they are named, are at least one. */
export const accessToken = z.object({
  name: line(100),
  scopes: z.array(z.enum(['READ', 'WRITE'])).min(1, { error: 'must have at least one scope' }),
  spaceIds: z
    .array(z.string())
    .min(1, { error: 'must have at least one id' })
    .max(maxSpaces, { error: `must have at most ${maxSpaces} ids` })
    .nullish(),
  expiresAt: z.date().nullish(),
});

export const profile = z.object({ name: name() });

const emailEnabled = z.boolean();
const reminderBefore = wholeNumber(0, 40_320);

/** The preferences that REST may change (contract, 4.2). */
export const restPreferences = {
  emailEnabled,
  reminderBefore,
  taskRemainders: z.boolean(),
  dailyDigest: z.boolean(),
};

const isTimeZone = (value: string) => {
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: value }));
  } catch {
    return false;
  }
};

/** All preferences; an absent one keeps its value; null clears `digestTime` and is refused of the others. */
export const preferences = z.object({
  emailEnabled: unclearable(emailEnabled),
  reminderBefore: unclearable(reminderBefore),
  taskRemainders: unclearable(z.boolean()),
  automaticRemainder: unclearable(z.boolean()),
  dailyDigest: unclearable(z.boolean()),
  digestTime: text()
    .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day, as HH:MM')
    .nullish(),
  timeZone: unclearable(text().refine(isTimeZone, { error: 'must be an IANA time zone, such as Europe/Berlin' })),
});
