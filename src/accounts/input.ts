import { z } from 'zod';
import { name, text, unclearable, wholeNumber } from '../kernel/input.ts';

/** A domain that mail can be sent to has a dot in it; Unicode is allowed on either side (RFC 6531). */
const address = /^[^\s@"(),:;<>[\\\]]+@[^\s@"(),:;<>[\\\]._]+(\.[^\s@"(),:;<>[\\\]._]+)+$/u;

/** An e-mail address: trimmed, lower-cased, validated; at most 254 code points. */
export const email = text()
  .trim()
  .toLowerCase()
  .pipe(
    z.string().refine((value) => [...value].length <= 254 && address.test(value), {
      error: 'must be an e-mail address of at most 254 characters',
    }),
  );

/** The contract sets no other rule than a length; in code points. */
export const password = text().refine((value) => value !== '' && [...value].length <= 1024, {
  error: 'must be 1 to 1024 characters long',
});

/** The six-digit code of the sign-up mail. */
export const code = text().regex(/^\d{6}$/, 'must be the six digits of the code');

export const signUp = z.object({ email, code, password });

export const signIn = z.object({ email: text(), password: text() });

export const changePassword = z
  .object({ currentPassword: text().nullish(), newPassword: password, confirmNewPassword: text() })
  .refine((input) => input.newPassword === input.confirmNewPassword, {
    path: ['confirmNewPassword'],
    error: 'must equal newPassword',
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

/** Bytes of an avatar file at the most (contract, part 8: 5 MB). */
export const maxAvatarBytes = 5 * 1024 * 1024;
