import type { Context } from '../kernel/context.ts';
import type { Database } from '../database/database.ts';
import { transaction } from '../database/transaction.ts';
import { invalid, type TaskgateError } from '../kernel/errors.ts';
import { log } from '../kernel/logger.ts';
import { networksOf } from '../kernel/networks.ts';
import type { Mail } from '../notifications/mails/layout.ts';
import { codeSeconds, issueCode, noteDelivery, tryCode } from './code-data.ts';
import type { CodeSubject } from './secrets.ts';

interface CodeMail {
  mail: Mail;
  /** Whether the mail brings the code; else it says why there is none. */
  hasCode: boolean;
  /** Its user; undefined where the address may have no account. */
  userId?: string | undefined;
  /** Why it is not sent; undefined: it is. */
  withheld?: string | undefined;
}

/**
 * Issues a code and mails it. Whatever the mail says, and whether it is sent, the work is the same: so that no answer takes longer
 * for an address that has an account.
 * @param of whom the code is for
 * @param email where the mail goes
 * @param mailOf looks up what is mailed, in the transaction that issues the code
 * @throws RATE_LIMITED at the sixth request in 24 hours, or after many of the client's
 */
export async function sendCode(
  context: Context,
  of: CodeSubject,
  email: string,
  mailOf: (tx: Database, code: string) => Promise<CodeMail>,
): Promise<void> {
  const { mailer, securityLog } = context.services;
  const { secret, limits } = context.services.accounts;
  const { purpose, subject } = of;
  // The address' quota may be the one that refuses: an account can still have another one.
  const key = `${purpose} ${subject} ${email}`;
  limits.refusedCodes.requireOpen(key);
  await limits.codeRequestsOfClient.consume(context.clientAddress);
  const issue = async (tx: Database) => {
    const { id, code } = await issueCode(tx, secret, of, email);
    const { mail, hasCode, userId, withheld } = await mailOf(tx, code);
    const owner = userId === undefined ? {} : { userId };
    const written = { kind: 'CODE', to: email, validSeconds: codeSeconds, withheld, ...owner, ...mail } as const;
    await noteDelivery(tx, id, await mailer.plan(tx, written));
    return { code, isShown: hasCode && withheld === undefined };
  };
  const writer = { id: networksOf(context.clientAddress) };
  const { code, isShown } = await limits.refusedCodes.run(key, () => transaction([email], issue, writer));
  mailer.wake();
  securityLog.event('authn_code_requested', context, { purpose });
  if (mailer.writesFiles && isShown) {
    log.info({ email, purpose, oneTimeCode: code }, 'one-time code, as no SMTP server is configured');
    context.services.accounts.printCode?.(email, code);
  }
}

/** Notes that a code was of no use. @returns what says so: the same whether it is wrong, used, expired or another address' */
export function wrongCode(context: Context, { purpose }: CodeSubject): TaskgateError {
  context.services.securityLog.event('authn_code_fail', context, { purpose });
  return invalid('code', 'is wrong, used or expired: ask for a new one');
}

/**
 * Counts a try of a code, which it does not use up: what takes long is done for a right one alone.
 * @throws VALIDATION_FAILED where it is not right; RATE_LIMITED
 */
export async function requireRightCode(context: Context, of: CodeSubject, code: string): Promise<void> {
  const { secret, limits } = context.services.accounts;
  await limits.codeTriesOfClient.consume(context.clientAddress);
  if (!(await tryCode(secret, of, code))) throw wrongCode(context, of);
}
