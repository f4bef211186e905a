import type { Database } from '../database/database.ts';
import { type Context, signedIn } from '../kernel/context.ts';
import { factorChangedMail } from '../notifications/mails/account-mails.ts';
import { findCredentials } from './data.ts';
import { actorOf } from './device.ts';

/**
 * Plans the mail that tells the viewer of a way to sign in that has come or gone. Wake the mailer after the commit.
 * @param what in a sentence
 */
export async function planFactorNotice(context: Context, tx: Database, what: string): Promise<void> {
  const { id } = signedIn(context);
  const account = await findCredentials({ id }, tx);
  const mail = factorChangedMail({ ...actorOf(context), what });
  if (account) await context.services.mailer.plan(tx, { kind: 'NOTICE', userId: id, to: account.email, ...mail });
}
