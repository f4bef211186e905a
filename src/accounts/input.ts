import { z } from 'zod';
import { codePoints, invisible, line, name, text } from '../kernel/input.ts';
import { shapesOf } from '../kernel/shapes.ts';
import { preferencesFields } from './fields.ts';

/** A domain that mail can be sent to has a dot in it; Unicode is allowed on either side (RFC 6531). */
const address = /^[^\s@"(),:;<>[\\\]]+@[^\s@"(),:;<>[\\\]._]+(\.[^\s@"(),:;<>[\\\]._]+)+$/u;

/** No mail arrives at an address that has such a character. Joiners are part of scripts and emoji. */
const unseen = new RegExp(`(?![\\u200C\\u200D\\uFE0F])${invisible}`, 'u');

/** Most code points of an e-mail address (RFC 5321, 4.5.3.1.3, less the angle brackets). */
const maxEmailLength = 254;

/** An e-mail address: trimmed, lower-cased, validated. */
export const email = text()
  .trim()
  .toLowerCase()
  .pipe(
    z.string().refine((value) => codePoints(value) <= maxEmailLength && address.test(value) && !unseen.test(value), {
      error: `must be an e-mail address of at most ${maxEmailLength} characters`,
    }),
  )
  .meta({ format: 'email', maxLength: maxEmailLength, examples: ['anna@example.com'] });

/** Most code points of a password. */
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

export const preferences = z.object(shapesOf(preferencesFields, 'update'));
