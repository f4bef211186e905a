import type { Context } from '../kernel/context.ts';
import type { Message } from '../notifications/mailer.ts';
import { deviceOf } from './device.ts';

/** By what it was done: the user is to know whether that was them. */
const linesOf = ({ userAgent, clientAddress }: Context) => [
  '',
  `Device:  ${deviceOf(userAgent)}`,
  `Network: ${clientAddress}`,
  '',
];

const mail = (to: string, subject: string, lines: string[]): Message => ({
  to,
  subject,
  text: `${lines.join('\n')}\n`,
});

/** Tells the address of an account that its password was changed (OWASP ASVS 6.3.7). */
export const passwordChangedMail = (context: Context, to: string): Message =>
  mail(to, 'The password of your Taskgate account was changed', [
    'Somebody, probably you, changed the password of your Taskgate account. All other sessions have ended.',
    ...linesOf(context),
    `If it was not you, tell at once whoever runs ${context.publicUrl}.`,
  ]);

/** Tells the address of an account that it was deleted: the last mail to it. */
export const accountDeletedMail = (context: Context, to: string): Message =>
  mail(to, 'Your Taskgate account was deleted', [
    'Somebody, probably you, deleted your Taskgate account with all that was its own.',
    ...linesOf(context),
    `If it was not you, tell at once whoever runs ${context.publicUrl}. The address is free to sign up again.`,
  ]);
