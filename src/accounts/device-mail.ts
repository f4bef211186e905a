import type { Message } from '../notifications/mailer.ts';

/** A sign-in from a device that the account does not know. */
export interface NewDevice {
  /** Address of the account. */
  to: string;
  /** What it calls itself: see {@link deviceOf}. */
  device: string;
  /** The client's, as limits count it: of IPv6 the /64 network. */
  clientAddress: string;
  /** By the database's clock. */
  at: Date;
  /** Origin of the service as users see it. */
  publicUrl: string;
}

/** The mail that tells of it. The subject is the same for all: no text of a client stands in a header. */
export function newDeviceMail({ to, device, clientAddress, at, publicUrl }: NewDevice): Message {
  const moment = at.toISOString().slice(0, 'YYYY-MM-DDTHH:MM'.length).replace('T', ' ');
  const lines = [
    'Somebody, probably you, signed in to your Taskgate account from a new device or network.',
    '',
    `Device:  ${device}`,
    `Network: ${clientAddress}`,
    `Time:    ${moment} UTC`,
    '',
    `If it was not you, change your password at ${publicUrl}: that ends all other sessions.`,
  ];
  return { to, subject: 'New sign-in to your Taskgate account', text: `${lines.join('\n')}\n` };
}
