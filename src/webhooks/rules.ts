import type { z } from 'zod';
import { invalid } from '@taskgate/base';
import { mayRequest } from '@taskgate/http';
import { requireRecentAuthentication } from '../accounts/sessions/rules.ts';
import { cursorAt, cursorOf, pollChanges } from '../changes/rules.ts';
import { type Context, notCached, signedIn, type Viewer } from '../platform/context.ts';
import type { Database } from '../platform/database.ts';
import { cursorExpired, notFound, orNotFound } from '../platform/errors.ts';
import { isId, newId } from '../platform/ids.ts';
import { parse } from '../platform/input.ts';
import { loaderOf } from '../platform/loaders.ts';
import { hasRights, requireMember } from '../platform/policy.ts';
import { roleFor } from '../platform/roles.ts';
import { write } from '../platform/write.ts';
import * as data from './data.ts';
import { findHeld } from './delivery-data.ts';
import * as input from './input.ts';
import { newSecret, sealSecrets, shownSecret, unsealSecrets } from './secrets.ts';

export type { WebhookAttempt, Webhook } from './data.ts';

const maxWebhooks = 20;

export interface WithSecret {
  webhook: data.Webhook;
  secret: string;
}

/** By creation; a token sees its own. No revision covers them. */
export function webhooksOf(context: Context, id: string | null | undefined): Promise<data.Webhook[]> {
  const viewer = signedIn(context);
  notCached(context);
  return data.findWebhooks(viewer.connections, viewer, id ?? undefined);
}

/** The last 50, newest first. */
export function attemptsOf(context: Context, webhookId: string): Promise<data.WebhookAttempt[]> {
  const { connections } = signedIn(context);
  const load = async (ids: readonly string[]) => {
    const tried = await data.findAttempts(connections, ids);
    return ids.map((id) => tried.filter((each) => each.webhookId === id));
  };
  return loaderOf(context, 'attempts of webhooks', load).load(webhookId);
}

/**
 * Creates a webhook, which begins with the next change.
 * @returns the secret, which is shown only once, and the webhook
 * @throws REAUTHENTICATION_REQUIRED; VALIDATION_FAILED, also at 20 webhooks; UNAUTHENTICATED
 */
export async function createWebhook(
  context: Context,
  rawInput: z.input<typeof input.createWebhook>,
): Promise<WithSecret> {
  const viewer = signedIn(context);
  await requireRecent(context);
  const { url, kinds, fields, spaceIds, maxChanges } = parse(input.createWebhook, rawInput, 'input');
  requireAllowed(context, url);
  requireMember(viewer, spaceIds, 'input.spaceIds');
  const [id, secret] = [newId('Webhook'), newSecret()];
  const { accounts, secrets } = context.services;
  const webhook = await writing(context, 'createWebhook', async (tx) => {
    if ((await data.countWebhooks(tx, viewer.id)) >= maxWebhooks)
      throw invalid('', `You cannot have more than ${maxWebhooks} webhooks: delete one first`);
    await data.insertWebhook(tx, viewer, {
      ...{ id, url, fields: fields ?? null, maxChanges: maxChanges ?? 100 },
      spaceIds: spaceIds ? [...new Set(spaceIds)] : null,
      kinds: [...new Set(kinds ?? input.changeKinds)],
      ...sealSecrets(secrets, id, [secret]),
    });
    const reader = orNotFound(await accounts.credentials.ofWebhook(id, tx), 'Webhook');
    await data.setPosition(tx, context.services.mailer.clock, id, cursorOf(reader));
    return findOwn(viewer, id, tx);
  });
  return { webhook, secret: shownSecret(secret) };
}

/**
 * Changes a webhook, pauses or resumes it, or moves its position.
 * @throws NOT_FOUND; REAUTHENTICATION_REQUIRED for a new URL; CURSOR_EXPIRED if the log does not go back so far;
 * VALIDATION_FAILED
 */
export async function updateWebhook(
  context: Context,
  id: string,
  rawInput: z.input<typeof input.updateWebhook>,
): Promise<data.Webhook> {
  const viewer = signedIn(context);
  const { url, kinds, fields, maxChanges, enabled, since } = parse(input.updateWebhook, rawInput, 'input');
  await findOwn(viewer, id);
  if (url != null) {
    await requireRecent(context);
    requireAllowed(context, url);
  }
  const position = await newPosition(context, id, { enabled, since });
  const { clock } = context.services.mailer;
  const changed = await writing(context, 'updateWebhook', async (tx) => {
    await data.changeWebhook(tx, id, {
      ...{ ...(url != null && { url }), ...(kinds != null && { kinds: [...new Set(kinds)] }) },
      ...{ ...(fields !== undefined && { fields }), ...(maxChanges != null && { maxChanges }) },
    });
    if (position !== undefined) await data.setPosition(tx, clock, id, position);
    if (enabled != null) await data.setEnabled(tx, clock, id, enabled);
    return findOwn(viewer, id, tx);
  });
  context.services.webhooks.wake();
  return changed;
}

/** @returns undefined if it stays @throws CURSOR_EXPIRED; VALIDATION_FAILED for a moment in the future */
async function newPosition(
  { services: { accounts, changes, connections, mailer } }: Context,
  id: string,
  { enabled, since }: Pick<z.output<typeof input.updateWebhook>, 'enabled' | 'since'>,
): Promise<string | undefined> {
  if (since == null && enabled !== true) return undefined;
  const { retentionDays } = changes;
  const [reader, hook] = await Promise.all([
    accounts.credentials.ofWebhook(id),
    findHeld(connections, mailer.clock, id, null),
  ]);
  if (!reader || !hook) throw notFound('Webhook');
  if (since == null) {
    await pollChanges(reader, { after: hook.position, first: 1, retentionDays });
    return undefined;
  }
  const days = (hook.now.getTime() - since.getTime()) / (24 * 60 * 60 * 1000);
  if (days < 0) throw invalid('input.since', 'must not be in the future');
  if (days > retentionDays) throw cursorExpired();
  return cursorAt(reader, since, retentionDays);
}

/** @throws NOT_FOUND */
export async function deleteWebhook(context: Context, id: string): Promise<void> {
  const viewer = signedIn(context);
  await writing(context, 'deleteWebhook', async (tx) => {
    await findOwn(viewer, id, tx);
    await data.deleteWebhook(tx, id);
  });
}

/** The secret before signs, too, for 24 hours. @throws NOT_FOUND, REAUTHENTICATION_REQUIRED */
export async function rotateSecret(context: Context, id: string): Promise<WithSecret> {
  const viewer = signedIn(context);
  const { mailer, secrets: keys } = context.services;
  await findOwn(viewer, id);
  await requireRecent(context);
  const secret = newSecret();
  const webhook = await writing(context, 'rotateWebhookSecret', async (tx) => {
    const sealed = orNotFound(await data.findSecrets(tx, id), 'Webhook');
    const all = [secret, ...unsealSecrets(keys, id, sealed)];
    await data.rotateSecrets(tx, mailer.clock, id, sealSecrets(keys, id, all));
    return findOwn(viewer, id, tx);
  });
  return { webhook, secret: shownSecret(secret) };
}

/** Sends a test message at once, in any state, and moves nothing. @throws NOT_FOUND, UNAVAILABLE */
export async function testWebhook(context: Context, id: string): Promise<data.WebhookAttempt> {
  const viewer = signedIn(context);
  const { mailer, webhooks } = context.services;
  await findOwn(viewer, id);
  const hook = orNotFound(await findHeld(viewer.connections, mailer.clock, id, null), 'Webhook');
  return webhooks.ping(hook, viewer.id);
}

/** The lock of the personal space counts webhooks. A token need not reach that space. */
const writing = <Result>(context: Context, mutation: string, work: (tx: Database) => Promise<Result>) => {
  const viewer = signedIn(context);
  return write(viewer, { needs: roleFor(mutation), ids: [], spaces: [viewer.id] }, work);
};

/** @throws NOT_FOUND */
async function findOwn(viewer: Viewer, id: string, tx?: Database): Promise<data.Webhook> {
  const [webhook] = isId('Webhook', id) ? await data.findWebhooks(tx ?? viewer.connections, viewer, id) : [];
  return orNotFound(webhook, 'Webhook');
}

/** A token cannot authenticate again. */
const requireRecent = async (context: Context): Promise<void> => {
  if (hasRights(signedIn(context).credential, 'all')) await requireRecentAuthentication(context);
};

function requireAllowed({ services }: Context, url: string): void {
  if (!mayRequest(new URL(url), { networks: services.webhooks.networks }))
    throw invalid('input.url', 'must begin with https: and lead to a public address');
}
