import { createHmac } from 'node:crypto';
import bowser from 'bowser';
import type { Context } from '../../platform/context.ts';
import type { AccountActor } from '../../notifications/mails/account-mails.ts';

/** In UTF-16 code units. Browsers send less. */
const maxUserAgentLength = 512;

/** In UTF-16 code units. The database holds 100 for both names. */
const maxNameLength = 40;

/** RFC 9110, 10.1.5. */
const product = /^[\w.-]{1,40}/;

/** Excludes addresses and new lines, because mails show the name. */
const plainName = /^[\w .+-]+$/;

const anyBrowser = 'Mozilla';

/** Names browser and system, such as `Firefox on Linux`, as the client claims them. Their updates keep the name. */
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

/** An IPv4 /24 or an IPv6 /48. */
const networkParts = 3;

/** The hash is keyed. */
export function fingerprintOf(secret: string, userId: string, device: string, clientAddress: string): string {
  const network = clientAddress.split(/[.:]/, networkParts).join('.');
  return createHmac('sha256', secret).update(`known device\n${userId}\n${device}\n${network}`).digest('base64url');
}
