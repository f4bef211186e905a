import { code, facts, link, type Mail, mailOf, paragraph } from './layout.ts';

/** By what something was done with an account. */
export interface AccountActor {
  /** Name of the device, such as `Firefox on Linux`. */
  device: string;
  /** Address or network of the client. */
  network: string;
  /** Where the pages of the application are. */
  appUrl: string;
}

/** The code to sign up by. It is in the subject as well, so that it is read without the mail being opened. */
export const codeMail = (digits: string): Mail =>
  mailOf({
    subject: `${digits} is your Taskgate code`,
    body: [
      paragraph`Your code to sign up for Taskgate is`,
      code(digits),
      paragraph`It is valid for five minutes. If you did not ask for it, ignore this mail.`,
    ],
  });

/** Instead of a code, to an address that has an account. */
export const hasAccountMail = (): Mail =>
  mailOf({
    subject: 'You have a Taskgate account already',
    body: [
      paragraph`Somebody, probably you, asked to sign up with this address. There is an account already: sign in with your password.`,
    ],
  });

/** Tells of a sign-in from a device that the account does not know. @param at when it was, by the database's clock */
export const newDeviceMail = ({ device, network, appUrl, at }: AccountActor & { at: Date }): Mail => {
  const moment = at.toISOString().slice(0, 'YYYY-MM-DDTHH:MM'.length).replace('T', ' ');
  return mailOf({
    subject: 'New sign-in to your Taskgate account',
    body: [
      paragraph`Somebody, probably you, signed in to your Taskgate account from a new device or network.`,
      facts({ Device: device, Network: network, Time: `${moment} UTC` }),
      paragraph`If it was not you, change your password at ${link(appUrl)}: that ends all other sessions.`,
    ],
  });
};

/** Tells the address of an account that its password was changed (OWASP ASVS 6.3.7). */
export const passwordChangedMail = ({ device, network, appUrl }: AccountActor): Mail =>
  mailOf({
    subject: 'The password of your Taskgate account was changed',
    body: [
      paragraph`Somebody, probably you, changed the password of your Taskgate account. All other sessions have ended.`,
      facts({ Device: device, Network: network }),
      paragraph`If it was not you, tell the operators of ${link(appUrl)} at once.`,
    ],
  });

/** Tells the address of an account that it was deleted: the last mail to it. */
export const accountDeletedMail = ({ device, network, appUrl }: AccountActor): Mail =>
  mailOf({
    subject: 'Your Taskgate account was deleted',
    body: [
      paragraph`Somebody, probably you, deleted your Taskgate account with all that was its own.`,
      facts({ Device: device, Network: network }),
      paragraph`If it was not you, tell the operators of ${link(appUrl)} at once. The address is free to sign up again.`,
    ],
  });
