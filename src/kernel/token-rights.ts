import type { Rights } from './context.ts';
import { contentKinds } from './entities.ts';

// What an access token may do in addition to queries and subscriptions, which are open to every token. What is not here it may not.

const actions = ['create', 'update', 'move', 'delete'];

/** Mutations that a token with the scope WRITE may do: those of what is in spaces, and the history's. */
const mutationsByToken: ReadonlySet<string> = new Set([
  ...contentKinds.flatMap((kind) => actions.flatMap((action) => [`${action}${kind}`, `${action}${kind}s`])),
  'undo',
  'restore',
]);

/** The rights that a mutation needs. */
export const rightsForMutation = (mutation: string): Rights => (mutationsByToken.has(mutation) ? 'write' : 'all');

/** Fields of `User` that a token may read. */
export const userFieldsByToken: ReadonlySet<string> = new Set([
  'id',
  'name',
  'email',
  'image',
  'isPasswordSet',
  'isOAuthLinked',
  'provider',
  'createdAt',
  'preferences',
]);
