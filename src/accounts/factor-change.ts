import type { Database } from '../database/database.ts';
import { write } from '../database/write.ts';
import { type Context, signedIn } from '../kernel/context.ts';
import { factorChangedMail } from '../notifications/mails/account-mails.ts';
import { findCredentials } from './data.ts';
import { actorOf } from './device.ts';

interface FactorChange {
  factor: 'totp' | 'passkey';
  change: 'added' | 'removed';
  /** What the mail says of it, in a sentence. */
  says: string;
}

/**
 * Writes a change of the ways to sign in to the viewer's account, which is logged, and tells them by a mail.
 * @param work answers null where it changes nothing
 */
export async function changeFactor<Result>(
  context: Context,
  { factor, change, says }: FactorChange,
  work: (tx: Database) => Promise<Result>,
): Promise<Result> {
  const viewer = signedIn(context);
  const { mailer, securityLog } = context.services;
  const result = await write(viewer, [viewer.id], async (tx) => {
    const done = await work(tx);
    const account = done === null ? null : await findCredentials({ id: viewer.id }, tx);
    const mail = factorChangedMail({ ...actorOf(context), what: says });
    if (account) await mailer.plan(tx, { kind: 'NOTICE', userId: viewer.id, to: account.email, ...mail });
    return done;
  });
  if (result === null) return result;
  mailer.wake();
  securityLog.event('authn_factor_change', context, { factor, change });
  return result;
}
