import { createHmac } from 'node:crypto';
import bowser from 'bowser';
import type { Context } from '../kernel/context.ts';
import type { AccountActor } from '../notifications/mails/account-mails.ts';

/** In UTF-16 code units, as no browser's user agent is longer. */
const maxUserAgentLength = 512;

/** In UTF-16 code units: the database holds 100 for browser and system. */
const maxNameLength = 40;

/** The product that programs name first (RFC 9110, 10.1.5). */
const product = /^[\w.-]{1,40}/;

/** Excludes characters that could form an address or a line in a mail. */
const plainName = /^[\w .+-]+$/;

const anyBrowser = 'Mozilla';

/**
 * Names the client's browser and system. The client claims them, so they prove nothing. The name has no versions, so an
 * update keeps it.
 * @returns a name of 1 to 100 characters, such as `Firefox on Linux`, or `Unknown device`
 */
export function deviceOf(userAgent: string | undefined): string {
  const text = userAgent?.trim().slice(0, maxUserAgentLength);
  if (!text) return 'Unknown device';
  const parser = bowser.getParser(text);
  const clientName = [parser.getBrowserName(), product.exec(text)?.[0]].find(
    (name) => name && name !== anyBrowser && plainName.test(name),
  );
  const client = clientName?.slice(0, maxNameLength);
  const system = parser.getOSName().slice(0, maxNameLength);
  if (client && system) return `${client} on ${system}`;
  return client ?? (system || 'Unknown device');
}

export const actorOf = ({ userAgent, clientAddress, services }: Context): AccountActor => ({
  device: deviceOf(userAgent),
  network: clientAddress,
  appUrl: services.mailer.appUrl,
});

/** A network mostly keeps 24 bits of an IPv4 address, or 48 of IPv6. */
const networkParts = 3;

/** Identifies a device of an account by a keyed hash of its name and network. */
export function fingerprintOf(secret: string, userId: string, device: string, clientAddress: string): string {
  const network = clientAddress.split(/[.:]/, networkParts).join('.');
  return createHmac('sha256', secret).update(`known device\n${userId}\n${device}\n${network}`).digest('base64url');
}
