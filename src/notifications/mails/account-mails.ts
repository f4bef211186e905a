import { type Block, code, facts, link, list, type Mail, mailOf, paragraph } from './layout.ts';
import { nameByUser } from './text.ts';

export interface AccountActor {
  device: string;
  network: string;
  appUrl: string;
}

/** Makes a mail with a code. Its subject shows the code in the list of mails. */
const mailWithCode = (digits: string, before: Block, after: Block): Mail =>
  mailOf({ subject: `${digits} is your Taskgate code`, body: [before, code(digits), after] });

const ignoreCode = paragraph`It is valid for five minutes. If you did not ask for it, ignore this mail.`;

export const codeMail = (digits: string): Mail =>
  mailWithCode(digits, paragraph`Your code to sign up for Taskgate is`, ignoreCode);

/** Answers a sign-up with an address that has an account. */
export const hasAccountMail = (): Mail =>
  mailOf({
    subject: 'You have a Taskgate account already',
    body: [
      paragraph`Somebody, probably you, asked to sign up with this address. An account already exists: sign in with your password.`,
    ],
  });

export const resetCodeMail = (digits: string): Mail =>
  mailWithCode(
    digits,
    paragraph`Your code to set a new password for Taskgate is`,
    paragraph`It is valid for five minutes. If you did not ask for it, ignore this mail: your password stays as it is.`,
  );

export const emailCodeMail = (digits: string): Mail =>
  mailWithCode(digits, paragraph`Your code to use this address for your Taskgate account is`, ignoreCode);

/** Answers a change to an address that has an account. */
export const emailTakenMail = (): Mail =>
  mailOf({
    subject: 'You have a Taskgate account already',
    body: [
      paragraph`Somebody, probably you, asked to use this address for a Taskgate account. Another account already has it: sign in to that account, and delete it or change its address first.`,
    ],
  });

const accountMail = (
  subject: string,
  { device, network }: AccountActor,
  what: Block,
  otherwise: readonly Block[],
  more: Record<string, string> = {},
): Mail => mailOf({ subject, body: [what, facts({ Device: device, Network: network, ...more }), ...otherwise] });

export const newDeviceMail = ({ at, ...actor }: AccountActor & { at: Date }): Mail =>
  accountMail(
    'New sign-in to your Taskgate account',
    actor,
    paragraph`Somebody, probably you, signed in to your Taskgate account from a new device or network.`,
    [paragraph`If it was not you, change your password at ${link(actor.appUrl)}: that ends all other sessions.`],
    { Time: `${at.toISOString().slice(0, 'YYYY-MM-DDTHH:MM'.length).replace('T', ' ')} UTC` },
  );

export const passwordChangedMail =
  ({ isFirst }: { isFirst: boolean }) =>
  (actor: AccountActor): Mail =>
    accountMail(
      `The password of your Taskgate account was ${isFirst ? 'set' : 'changed'}`,
      actor,
      paragraph`Somebody, probably you, ${isFirst ? 'set a' : 'changed the'} password of your Taskgate account. All other sessions have ended.`,
      [paragraph`If it was not you, tell the operators of ${link(actor.appUrl)} at once.`],
    );

/** Sentences about changes. Names come from the user or the operator. */
export const changes = {
  passkeyAdded: (name: string) => `The passkey “${nameByUser(name)}” was added.`,
  passkeyRemoved: (name: string) => `The passkey “${nameByUser(name)}” was removed.`,
  providerLinked: (label: string) => `The external provider “${nameByUser(label)}” was linked.`,
  providerUnlinked: (label: string) => `The external provider “${nameByUser(label)}” was unlinked.`,
  totpOn: 'TOTP, a code from an app in addition to the password, was turned on, with new recovery codes.',
  totpOff:
    'TOTP, a code from an app in addition to the password, was turned off. The recovery codes are no longer valid.',
  recoveryCodeUsed: (left: number) => `A recovery code was used: ${left} ${left === 1 ? 'is' : 'are'} left.`,
  tokenMade: (name: string) => `The access token “${nameByUser(name)}” was made. Programs sign in with it.`,
  tokenRevoked: (name: string) => `The access token “${nameByUser(name)}” was revoked.`,
  applicationAllowed: (name: string, host: string) =>
    `The application “${nameByUser(name)}” of ${nameByUser(host)} was connected. Its name is not verified.`,
  applicationRevoked: (name: string) => `The application “${nameByUser(name)}” was disconnected.`,
};

/** @param what text of one of {@link changes} */
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

interface OtherWayIn {
  kind: 'passkey' | 'provider';
  name: string;
}

const kinds = { passkey: 'Passkey', provider: 'External provider' };

function otherWaysIn(ways: readonly OtherWayIn[], haveEnded: boolean, appUrl: string): Block[] {
  if (ways.length === 0) return [];
  const items = ways.map(({ kind, name }) => ({ name: `${kinds[kind]} “${nameByUser(name)}”` }));
  if (haveEnded) return [list('These other ways to sign in have ended', items)];
  return [
    list('These other ways to sign in remain', items),
    paragraph`If you do not know one of them, sign in at ${link(appUrl)} and remove it in the settings, or reset the password again and have the reset end all other ways to sign in.`,
  ];
}

/** @param ways ended or remaining */
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

export const emailChangedMail = (actor: AccountActor): Mail =>
  accountMail(
    'The address of your Taskgate account was changed',
    actor,
    paragraph`Somebody, probably you, changed the address of your Taskgate account. Its mails no longer go to this address.`,
    [paragraph`If it was not you, tell the operators of ${link(actor.appUrl)} at once.`],
  );

export const accountDeletedMail = (actor: AccountActor): Mail =>
  accountMail(
    'Your Taskgate account was deleted',
    actor,
    paragraph`Somebody, probably you, deleted your Taskgate account with all its data.`,
    [
      paragraph`If it was not you, tell the operators of ${link(actor.appUrl)} at once. The address is free to sign up again.`,
    ],
  );
