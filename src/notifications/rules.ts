import { invalid } from '@taskgate/base';
import { rateLimited } from '@taskgate/limits';
import type { Selection } from '@taskgate/nested-read';
import { write } from '../platform/write.ts';
import { type Context, notCached, signedIn } from '../platform/context.ts';
import { loaderOf } from '../platform/loaders.ts';
import { hasRights } from '../platform/policy.ts';
import { fixedPolicies } from '../platform/rate-limit-policies.ts';
import { findTasksByIds } from '../tasks/rules.ts';
import * as data from './delivery-data.ts';
import * as digestData from './digest-data.ts';
import { type DigestDays, digestDays, type DigestRow, mailOfDigest, planDigest } from './digests.ts';
import { kinds } from './kinds.ts';
import { maxTasks, type DigestPart } from './mails/digest-mail.ts';
import type { Mail } from './mails/layout.ts';
import { testMail } from './mails/test-mail.ts';
import { unsubscribeUrl } from './unsubscribe.ts';

export type { Delivery } from './delivery-data.ts';

const maxFirst = 500;

/** Lists the viewer's mails, latest first. @throws UNAUTHENTICATED; VALIDATION_FAILED if `first` is outside 0 to 500 */
export async function deliveries(context: Context, first: number): Promise<data.Delivery[]> {
  const viewer = signedIn(context);
  if (first < 0 || first > maxFirst) throw invalid('first', `must be a whole number from 0 to ${maxFirst}`);
  notCached(context);
  return data.findDeliveries(viewer, context.services.mailer.clock, first);
}

/** Lists the viewer's reminders of a task: the planned one, then past ones, latest first. */
export function remindersOf(context: Context, taskId: string): Promise<data.Delivery[]> {
  notCached(context);
  const { clock } = context.services.mailer;
  const load = (ids: readonly string[]) => data.findReminders(signedIn(context), clock, ids);
  return loaderOf(context, 'reminders', load).load(taskId);
}

/** The digest as it would be sent now. Unselected parts are not read. */
export interface Digest {
  /** Null if digests are off. */
  at: Date | null;
  mail: () => Promise<Mail>;
  tasks: (part: DigestPart, query: Selection) => Promise<{ id: string }[]>;
}

/** @throws UNAUTHENTICATED */
export async function digest(context: Context): Promise<Digest> {
  const viewer = signedIn(context);
  notCached(context);
  const { services, publicUrl } = context;
  const user = await digestData.findDigestUser(viewer.connections, services.mailer.clock, viewer.id);
  if (!user) throw new Error('a viewer has no preferences');
  const days = digestDays(user);
  const { planned, now } = user;
  // A planned digest whose time has come is being sent.
  const next = planned && planned.at <= now ? planned : planDigest(user);
  // The link changes preferences without a session, so a credential without that right does not get it.
  const url = () =>
    hasRights(viewer.credential, 'all')
      ? unsubscribeUrl(services.accounts.secret, publicUrl, viewer.id, kinds.DIGEST.unsubscribing)
      : undefined;
  let mail: Promise<Mail> | undefined;
  let rows: Promise<DigestRow[]> | undefined;
  return {
    at: next?.at ?? null,
    mail: () =>
      (mail ??= digestData.findDigestTasksOf(viewer, days, maxTasks).then((tasks) => mailOfDigest(days, tasks, url()))),
    tasks: async (part, query) => {
      const tasks = await (rows ??= digestData.findDigestTasksOf(viewer, days));
      const ids = tasks.filter((row) => row.part === part).map(({ id }) => id);
      return findTasksByIds(viewer, ids, query);
    },
  };
}

/** The day of the caller's time zone. @throws UNAUTHENTICATED */
export async function dayOf(context: Context): Promise<Pick<DigestDays, 'today' | 'timeZone'>> {
  const viewer = signedIn(context);
  notCached(context);
  const user = await digestData.findDigestUser(viewer.connections, context.services.mailer.clock, viewer.id);
  if (!user) throw new Error('a viewer has no preferences');
  return digestDays(user);
}

/**
 * Sends a mail to the viewer's address.
 * @throws UNAUTHENTICATED; RATE_LIMITED for the sixth in an hour, whatever RATE_LIMITS says; UNAVAILABLE
 */
export async function sendTestMail(context: Context): Promise<void> {
  const viewer = signedIn(context);
  const { mailer } = context.services;
  const { testMails } = fixedPolicies;
  // The lock makes an account's requests run one after another.
  await write(viewer, { ids: [viewer.id] }, async (tx) => {
    const retryAfter = await data.findWait(tx, viewer.id, 'TEST', testMails);
    if (retryAfter !== null) throw rateLimited(testMails, 'Too many test mails within an hour', { retryAfter });
    const to = await data.findAddress(tx, viewer.id);
    await mailer.plan(tx, { kind: 'TEST', userId: viewer.id, to, ...testMail() });
  });
  mailer.wake();
}
