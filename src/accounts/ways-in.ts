import type { Database } from '../database/database.ts';
import { write } from '../database/write.ts';
import type { Context, Viewer } from '../kernel/context.ts';
import type { AccountActor } from '../notifications/mails/account-mails.ts';
import type { Mail } from '../notifications/mails/layout.ts';
import { actorOf } from './device.ts';
import { addressOf } from './ways-in-data.ts';

type MailBy = (actor: AccountActor) => Mail;

/**
 * Plans the mail that reports a change of the ways into an account, in the transaction of the change (OWASP ASVS 6.3.7). Every such
 * change calls it, and wakes the mailer after the commit.
 * @param account the recipient; without an id, the account is gone
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

/**
 * Writes a change of the ways into the viewer's account, and reports it.
 * @param mailOf makes the mail from the result of `work`
 * @param work returns null if it changes nothing
 */
export async function changeWaysIn<Result>(
  context: Context,
  viewer: Viewer,
  mailOf: (result: NonNullable<Result>) => MailBy,
  work: (tx: Database) => Promise<Result>,
): Promise<Result> {
  const result = await write(viewer, [viewer.id], async (tx) => {
    const made = await work(tx);
    if (made != null) await reportChange(context, tx, await addressOf(tx, viewer.id), mailOf(made));
    return made;
  });
  context.services.mailer.wake();
  return result;
}
