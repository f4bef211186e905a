import type { Rights } from './context.ts';
import { contentKinds } from './entities.ts';

// Access tokens may run every subscription and almost every query. Of mutations and fields of `User`, they may use only these.

const actions = ['create', 'update', 'move', 'delete'];

/** Mutations of the scope WRITE: contents of spaces, the history, and notifications. */
const mutationsByToken: ReadonlySet<string> = new Set([
  ...contentKinds.flatMap((kind) => actions.flatMap((action) => [`${action}${kind}`, `${action}${kind}s`])),
  'skipOccurrence',
  'muteTask',
  'readNotifications',
  'undo',
  'restore',
  'claimTask',
  'renewClaim',
  'releaseClaim',
]);

/** Mutations of the scope READ: webhooks, which send only data that a token may read. A token reaches only its own. */
const mutationsByReader: ReadonlySet<string> = new Set([
  ...['createWebhook', 'updateWebhook', 'deleteWebhook'],
  ...['rotateWebhookSecret', 'testWebhook'],
]);

export function rightsForMutation(mutation: string): Rights {
  if (mutationsByReader.has(mutation)) return 'read';
  return mutationsByToken.has(mutation) ? 'write' : 'all';
}

/** Queries that a token may not run. */
export const queriesOfSessions: ReadonlySet<string> = new Set(['applicationRequest']);

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
  'webhooks',
]);
