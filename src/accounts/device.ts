import { createHmac } from 'node:crypto';
import bowser from 'bowser';
import type { Context } from '../kernel/context.ts';
import type { AccountActor } from '../notifications/mails/account-mails.ts';

/** UTF-16 code units of a user agent that are parsed; no browser's has more. */
const maxUserAgentLength = 512;

/** UTF-16 code units of a name: the database holds 100 for browser and system together. */
const maxNameLength = 40;

/** The product that programs name first (RFC 9110, 10.1.5). */
const product = /^[\w.-]{1,40}/;

/** What a name is made of: nothing that a mail's reader could take for an address or another line. */
const plainName = /^[\w .+-]+$/;

/** What browsers of all makers call themselves: it says nothing. */
const anyBrowser = 'Mozilla';

/**
 * Names the device that a client runs on by its user agent: browser and system, without versions, so that an update does
 * not make it another one. The client claims it: it helps users recognise their own devices, and proves nothing.
 * @param userAgent `User-Agent` of the request
 * @returns such as `Firefox on Linux`, 1 to 100 characters; `Unknown device` where it says nothing
 */
export function deviceOf(userAgent: string | undefined): string {
  const text = userAgent?.trim().slice(0, maxUserAgentLength);
  if (!text) return 'Unknown device';
  const parser = bowser.getParser(text);
  const named = [parser.getBrowserName(), product.exec(text)?.[0]].find(
    (name) => name && name !== anyBrowser && plainName.test(name),
  );
  const client = named?.slice(0, maxNameLength);
  const system = parser.getOSName().slice(0, maxNameLength);
  if (client && system) return `${client} on ${system}`;
  return client ?? (system || 'Unknown device');
}

/** Who made a request, as a mail describes it to the account's user, who can tell whether that was them. */
export const actorOf = ({ userAgent, clientAddress, services }: Context): AccountActor => ({
  device: deviceOf(userAgent),
  network: clientAddress,
  appUrl: services.mailer.appUrl,
});

/** Parts of an address that a network mostly keeps: 24 bits of IPv4, 48 of IPv6. */
const networkParts = 3;

/** By what a device is known to an account: a keyed hash of what it calls itself and of its network. */
export function fingerprintOf(secret: string, userId: string, device: string, clientAddress: string): string {
  const network = clientAddress.split(/[.:]/, networkParts).join('.');
  return createHmac('sha256', secret).update(`known device\n${userId}\n${device}\n${network}`).digest('base64url');
}
