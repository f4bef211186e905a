import type { Database } from '../../platform/database.ts';
import { write } from '../../platform/write.ts';
import type { Context, Viewer } from '../../platform/context.ts';
import type { AccountActor } from '../../notifications/mails/account-mails.ts';
import type { Mail } from '../../notifications/mails/layout.ts';
import { actorOf } from '../sign-in/device.ts';
import { addressOf } from './ways-in-data.ts';

type MailBy = (actor: AccountActor) => Mail;

/**
 * Plans the mail about a changed way to sign in (OWASP ASVS 6.3.7), in the transaction of the change.
 * @param account without an id if it is deleted
 */
export async function reportChange(
  context: Context,
  tx: Database,
  { id, email }: { id?: string; email: string },
  mailBy: MailBy,
): Promise<void> {
  const { mailer } = context.services;
  await mailer.plan(tx, {
    kind: 'NOTICE',
    ...(id !== undefined && { userId: id }),
    to: email,
    ...mailBy(actorOf(context)),
  });
}

/** @param work returns null if it changes nothing */
export async function changeWaysIn<Result extends object | string | null | undefined>(
  context: Context,
  viewer: Viewer,
  mailOf: (result: NonNullable<Result>) => MailBy,
  work: (tx: Database) => Promise<Result>,
): Promise<Result> {
  const result = await write(viewer, { ids: [viewer.id] }, async (tx) => {
    const made = await work(tx);
    if (made != null) await reportChange(context, tx, await addressOf(tx, viewer.id), mailOf(made));
    return made;
  });
  context.services.mailer.wake();
  return result;
}
