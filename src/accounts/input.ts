import { z } from 'zod';
import { codePoints, invisible, line, name, text } from '../kernel/input.ts';
import { shapesOf } from '../kernel/shapes.ts';
import { preferencesFields } from './fields.ts';

/** A mail domain has a dot. Unicode is allowed (RFC 6531). */
const address = /^[^\s@"(),:;<>[\\\]]+@[^\s@"(),:;<>[\\\]._]+(\.[^\s@"(),:;<>[\\\]._]+)+$/u;

/** Mail to such addresses does not arrive. Joiners are part of scripts and emoji. */
const invisibleCharacters = new RegExp(`(?![\\u200C\\u200D\\uFE0F])${invisible}`, 'u');

/** RFC 5321, 4.5.3.1.3, without the angle brackets. */
const maxEmailLength = 254;

export const email = text()
  .trim()
  .toLowerCase()
  .pipe(
    z
      .string()
      .refine(
        (value) => codePoints(value) <= maxEmailLength && address.test(value) && !invisibleCharacters.test(value),
        {
          error: `must be an e-mail address of at most ${maxEmailLength} characters`,
        },
      ),
  )
  .meta({ format: 'email', maxLength: maxEmailLength, examples: ['anna@example.com'] });

/** In code points. */
const maxPasswordLength = 1024;

/** The contract requires only a length. */
export const password = text()
  .refine((value) => value !== '' && codePoints(value) <= maxPasswordLength, {
    error: `must be 1 to ${maxPasswordLength} characters long`,
  })
  .meta({ format: 'password', minLength: 1, maxLength: maxPasswordLength });

export const code = text()
  .regex(/^\d{6}$/, 'must be the six digits of the code')
  .meta({ examples: ['123456'] });

/** An account has its own space and up to 100 workspaces. */
const maxSpaces = 101;

export const signUp = z.object({ email, code, password });

export const signIn = z.object({
  email: text(),
  password: text(),
  totp: text().nullish().meta({
    description: 'A code of the authenticator app or a recovery code. Required if TOTP is on.',
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
