import { type Block, code, facts, link, list, type Mail, mailOf, paragraph } from './layout.ts';
import { nameByUser } from './text.ts';

/** By what something was done with an account. */
export interface AccountActor {
  /** Name of the device, such as `Firefox on Linux`. */
  device: string;
  network: string;
  /** Where the pages of the application are. */
  appUrl: string;
}

/** A mail with a code, which is in the subject as well, so that it is read without the mail being opened. */
const mailWithCode = (digits: string, before: Block, after: Block): Mail =>
  mailOf({ subject: `${digits} is your Taskgate code`, body: [before, code(digits), after] });

const ignoreCode = paragraph`It is valid for five minutes. If you did not ask for it, ignore this mail.`;

export const codeMail = (digits: string): Mail =>
  mailWithCode(digits, paragraph`Your code to sign up for Taskgate is`, ignoreCode);

/** Instead of a code, to an address that has an account. */
export const hasAccountMail = (): Mail =>
  mailOf({
    subject: 'You have a Taskgate account already',
    body: [
      paragraph`Somebody, probably you, asked to sign up with this address. There is an account already: sign in with your password.`,
    ],
  });

/** The code to set a new password by, for an account that has forgotten its own or never had one. */
export const resetCodeMail = (digits: string): Mail =>
  mailWithCode(
    digits,
    paragraph`Your code to set a new password for Taskgate is`,
    paragraph`It is valid for five minutes. If you did not ask for it, ignore this mail: your password stays as it is.`,
  );

/** The code to move an account to this address. */
export const emailCodeMail = (digits: string): Mail =>
  mailWithCode(digits, paragraph`Your code to use this address for your Taskgate account is`, ignoreCode);

/** Instead of such a code, to an address that has an account. */
export const emailTakenMail = (): Mail =>
  mailOf({
    subject: 'You have a Taskgate account already',
    body: [
      paragraph`Somebody, probably you, asked to use this address for a Taskgate account. There is one already that has it: sign in to that one, and delete it or change its address first.`,
    ],
  });

/** Reports what was done with an account, by what, and what to do if it was somebody else. @param more facts */
const accountMail = (
  subject: string,
  { device, network }: AccountActor,
  what: Block,
  otherwise: readonly Block[],
  more: Record<string, string> = {},
): Mail => mailOf({ subject, body: [what, facts({ Device: device, Network: network, ...more }), ...otherwise] });

/** Reports a sign-in from a device that the account does not know. @param at when it was, by the database's clock */
export const newDeviceMail = ({ at, ...actor }: AccountActor & { at: Date }): Mail =>
  accountMail(
    'New sign-in to your Taskgate account',
    actor,
    paragraph`Somebody, probably you, signed in to your Taskgate account from a new device or network.`,
    [paragraph`If it was not you, change your password at ${link(actor.appUrl)}: that ends all other sessions.`],
    { Time: `${at.toISOString().slice(0, 'YYYY-MM-DDTHH:MM'.length).replace('T', ' ')} UTC` },
  );

/** Reports to an account that its password was changed, or set for the first time. */
export const passwordChangedMail =
  ({ isFirst }: { isFirst: boolean }) =>
  (actor: AccountActor): Mail =>
    accountMail(
      `The password of your Taskgate account was ${isFirst ? 'set' : 'changed'}`,
      actor,
      paragraph`Somebody, probably you, ${isFirst ? 'set a' : 'changed the'} password of your Taskgate account. All other sessions have ended.`,
      [paragraph`If it was not you, tell the operators of ${link(actor.appUrl)} at once.`],
    );

/** What has changed of the ways into an account, each as a sentence. Names are the user's, or the operator's. */
export const changes = {
  passkeyAdded: (name: string) => `The passkey “${nameByUser(name)}” was added.`,
  passkeyRemoved: (name: string) => `The passkey “${nameByUser(name)}” was removed.`,
  providerLinked: (label: string) => `The external provider “${nameByUser(label)}” was linked.`,
  providerUnlinked: (label: string) => `The external provider “${nameByUser(label)}” was unlinked.`,
  totpOn: 'TOTP, codes of an app beside the password, was turned on, with new recovery codes.',
  totpOff: 'TOTP, codes of an app beside the password, was turned off, and the recovery codes have ended.',
  recoveryCodeUsed: (left: number) => `A recovery code was used: ${left} ${left === 1 ? 'is' : 'are'} left.`,
  tokenMade: (name: string) => `The access token “${nameByUser(name)}” was made, by which a program comes in.`,
  tokenRevoked: (name: string) => `The access token “${nameByUser(name)}” was revoked.`,
};

/** Reports to an account that a way into it was added, removed or used up. @param what of {@link changes} */
export const waysInChangedMail =
  (what: string) =>
  (actor: AccountActor): Mail =>
    accountMail(
      'The sign-in to your Taskgate account was changed',
      actor,
      paragraph`Somebody, probably you, changed how you, or your programs, sign in to Taskgate. ${what}`,
      [
        paragraph`If it was not you, reset your password at ${link(actor.appUrl)} at once, and have the reset end all other ways to sign in.`,
      ],
    );

/** A way to sign in beside the password, by its user's name or its provider's label. */
interface OtherWayIn {
  kind: 'passkey' | 'provider';
  name: string;
}

const kinds = { passkey: 'Passkey', provider: 'External provider' };

/** Lists the other ways to sign in after a reset; nothing if there are none. */
function otherWaysIn(ways: readonly OtherWayIn[], haveEnded: boolean, appUrl: string): Block[] {
  if (ways.length === 0) return [];
  const items = ways.map(({ kind, name }) => ({ name: `${kinds[kind]} “${nameByUser(name)}”` }));
  if (haveEnded) return [list('These other ways to sign in have ended', items)];
  return [
    list('These other ways to sign in remain', items),
    paragraph`If you do not know one of them, sign in at ${link(appUrl)} and remove it in the settings, or reset the password again and have the reset end all other ways to sign in.`,
  ];
}

/**
 * Reports to an account that its password was replaced, by a code that was mailed there.
 * @param ways other ways to sign in, which have ended or remain
 */
export const passwordResetMail =
  ({ ways, haveEnded }: { ways: readonly OtherWayIn[]; haveEnded: boolean }) =>
  (actor: AccountActor): Mail =>
    accountMail(
      'The password of your Taskgate account was reset',
      actor,
      paragraph`Somebody, probably you, set a new password for your Taskgate account by a code that was mailed to you. All sessions and access tokens have ended: sign in with the new password.`,
      [
        ...otherWaysIn(ways, haveEnded, actor.appUrl),
        paragraph`If it was not you, somebody else reads your mail: secure your mailbox, then reset the password again at ${link(actor.appUrl)}.`,
      ],
    );

/** Reports to the former address of an account that it has another one now. */
export const emailChangedMail = (actor: AccountActor): Mail =>
  accountMail(
    'The address of your Taskgate account was changed',
    actor,
    paragraph`Somebody, probably you, changed the address of your Taskgate account. No more mails of it come here.`,
    [paragraph`If it was not you, tell the operators of ${link(actor.appUrl)} at once.`],
  );

/** Reports to an account that it was deleted: the last mail to its address. */
export const accountDeletedMail = (actor: AccountActor): Mail =>
  accountMail(
    'Your Taskgate account was deleted',
    actor,
    paragraph`Somebody, probably you, deleted your Taskgate account with all that was its own.`,
    [
      paragraph`If it was not you, tell the operators of ${link(actor.appUrl)} at once. The address is free to sign up again.`,
    ],
  );
