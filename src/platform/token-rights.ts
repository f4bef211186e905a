import type { Rights } from './context.ts';
import { contentKinds } from './entities.ts';

// Access tokens may run every query and subscription. Of mutations and fields of `User`, they may use only these.

const actions = ['create', 'update', 'move', 'delete'];

/** Mutations of the scope WRITE: contents of spaces, the history, and notifications. */
const mutationsByToken: ReadonlySet<string> = new Set([
  ...contentKinds.flatMap((kind) => actions.flatMap((action) => [`${action}${kind}`, `${action}${kind}s`])),
  'skipOccurrence',
  'muteTask',
  'readNotifications',
  'undo',
  'restore',
]);

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
  'unreadNotifications',
]);
