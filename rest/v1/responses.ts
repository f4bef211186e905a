import { z } from 'zod';
import { sessionFields, userFields } from '../../src/accounts/fields.ts';
import { entity } from '../entity.ts';

/** Contract, part 2. */
export const user = entity('User', userFields, 'An account, as its user sees it.');

export const session = entity('Session', sessionFields, "One of the caller's sessions.");

export const authCheck = z
  .object({
    isAuthenticated: z.boolean(),
    email: z
      .string()
      .nullish()
      .meta({ description: 'Address of the account, if there is a session.', examples: ['anna@example.com'] }),
  })
  .meta({ id: 'AuthCheck', description: 'Whether the caller is signed in, and their address.' });
