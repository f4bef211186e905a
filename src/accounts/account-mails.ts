import type { Context } from '../kernel/context.ts';
import type { Message } from '../notifications/mailer.ts';
import { deviceOf } from './device.ts';

/**
 * A mail of what was done with an account, and by what: the user is to know whether that was them. The subject is the same
 * for all: no text of a client stands in a header.
 */
function mail(
  to: string,
  subject: string,
  done: string,
  { userAgent, clientAddress }: Context,
  rest: string[],
): Message {
  const lines = [done, '', `Device:  ${deviceOf(userAgent)}`, `Network: ${clientAddress}`, ...rest];
  return { to, subject, text: `${lines.join('\n')}\n` };
}

/** Tells of a sign-in from a device that the account does not know. @param at when it was, by the database's clock */
export function newDeviceMail(context: Context, to: string, at: Date): Message {
  const moment = at.toISOString().slice(0, 'YYYY-MM-DDTHH:MM'.length).replace('T', ' ');
  const done = 'Somebody, probably you, signed in to your Taskgate account from a new device or network.';
  return mail(to, 'New sign-in to your Taskgate account', done, context, [
    `Time:    ${moment} UTC`,
    '',
    `If it was not you, change your password at ${context.publicUrl}: that ends all other sessions.`,
  ]);
}

/** Tells the address of an account that its password was changed (OWASP ASVS 6.3.7). */
export function passwordChangedMail(context: Context, to: string): Message {
  const done = 'Somebody, probably you, changed the password of your Taskgate account. All other sessions have ended.';
  return mail(to, 'The password of your Taskgate account was changed', done, context, [
    '',
    `If it was not you, tell at once whoever runs ${context.publicUrl}.`,
  ]);
}

/** Tells the address of an account that it was deleted: the last mail to it. */
export function accountDeletedMail(context: Context, to: string): Message {
  const done = 'Somebody, probably you, deleted your Taskgate account with all that was its own.';
  return mail(to, 'Your Taskgate account was deleted', done, context, [
    '',
    `If it was not you, tell at once whoever runs ${context.publicUrl}. The address is free to sign up again.`,
  ]);
}
