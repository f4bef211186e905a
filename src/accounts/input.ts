import { z } from 'zod';
import { email } from '../platform/email.ts';
import { codePoints, line, name, text } from '../platform/input.ts';
import { shapesOf } from '../platform/shapes.ts';
import { preferencesFields } from './fields.ts';

export { email };

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

/** The own space and up to 100 workspaces. */
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

/** Spaces of an account that a program reaches. Null: all. */
export const spaceIds = z
  .array(z.string())
  .min(1, { error: 'must have at least one id' })
  .max(maxSpaces, { error: `must have at most ${maxSpaces} ids` })
  .nullish();

export const accessToken = z.object({
  name: line(100),
  scopes: z.array(z.enum(['READ', 'WRITE'])).min(1, { error: 'must have at least one scope' }),
  spaceIds,
  expiresAt: z.date().nullish(),
});

/** Characters that suffice for a client id with its redirect URI, and a `state`. */
const maxQuery = 16_384;

export const authorizationQuery = text().max(maxQuery, { error: `must be at most ${maxQuery} characters long` });

export const allowApplication = accessToken
  .pick({ scopes: true, spaceIds: true })
  .extend({ query: authorizationQuery });

export const profile = z.object({ name: name() });

export const preferences = z.object(shapesOf(preferencesFields, 'update'));
