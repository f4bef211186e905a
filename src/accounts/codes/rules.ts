import { invalid, log, type TaskgateError } from '@taskgate/base';
import { networksOf } from '@taskgate/limits';
import type { Context } from '../../platform/context.ts';
import type { Database } from '../../platform/database.ts';
import { transaction } from '../../platform/transaction.ts';
import type { Mail } from '../../notifications/mails/layout.ts';
import { codeSeconds, issueCode, noteDelivery, tryCode } from './data.ts';
import type { CodeSubject } from './secrets.ts';

interface CodeMail {
  mail: Mail;
  /** False if the mail explains why there is no code. */
  hasCode: boolean;
  /** Undefined without an account. */
  userId?: string | undefined;
  withheld?: string | undefined;
}

/** A withheld mail takes as much work, so the time does not reveal accounts. @throws RATE_LIMITED */
export async function sendCode(
  context: Context,
  codeSubject: CodeSubject,
  email: string,
  mailOf: (tx: Database, code: string) => Promise<CodeMail>,
): Promise<void> {
  const { connections, mailer, securityLog } = context.services;
  const { secret, limits } = context.services.accounts;
  const { purpose, subject } = codeSubject;
  // A subject may still use another address.
  const key = `${purpose} ${subject} ${email}`;
  limits.refusedCodes.requireOpen(key);
  await limits.codeRequestsOfClient.consume(context.clientAddress);
  const issue = async (tx: Database) => {
    const { id, code } = await issueCode(tx, secret, codeSubject, email);
    const { mail, hasCode, userId, withheld } = await mailOf(tx, code);
    const owner = userId === undefined ? {} : { userId };
    const codeMail = { kind: 'CODE', to: email, validSeconds: codeSeconds, withheld, ...owner, ...mail } as const;
    await noteDelivery(tx, id, await mailer.plan(tx, codeMail));
    return { code, isShown: hasCode && withheld === undefined };
  };
  const writer = { id: networksOf(context.clientAddress) };
  const { code, isShown } = await limits.refusedCodes.run(key, () => transaction(connections, [email], issue, writer));
  mailer.wake();
  securityLog.event('authn_code_requested', context, { purpose });
  if (mailer.writesFiles && isShown) {
    log.info({ email, purpose, oneTimeCode: code }, 'one-time code, because no SMTP server is configured');
    context.services.accounts.printCode?.(email, code);
  }
}

/** Makes the same error for all causes. */
export function wrongCode(context: Context, { purpose }: CodeSubject): TaskgateError {
  context.services.securityLog.event('authn_code_fail', context, { purpose });
  return invalid('code', 'is wrong, used or expired: ask for a new one');
}

/**
 * For use before slow work: the code stays usable.
 * @throws VALIDATION_FAILED, RATE_LIMITED
 */
export async function requireRightCode(context: Context, codeSubject: CodeSubject, code: string): Promise<void> {
  const { accounts, connections } = context.services;
  const { secret, limits } = accounts;
  await limits.codeTriesOfClient.consume(context.clientAddress);
  if (!(await tryCode(connections, secret, codeSubject, code))) throw wrongCode(context, codeSubject);
}
