import { isLoopback } from '@taskgate/base';

/** Characters of a URI (RFC 3986, 2). */
const uri = /^[\w.~:/?#[\]@!$&'()*+,;=%-]+$/;

/** Schemes that a browser or the system handles itself. */
const foreignSchemes: ReadonlySet<string> = new Set([
  ...['javascript:', 'vbscript:', 'data:', 'file:', 'filesystem:', 'blob:', 'about:', 'view-source:', 'jar:'],
  ...['http:', 'ws:', 'wss:', 'ftp:', 'ftps:', 'mailto:', 'tel:', 'sms:', 'urn:', 'content:', 'intent:', 'resource:'],
  ...['chrome:', 'chrome-extension:', 'moz-extension:', 'edge:', 'ms-settings:', 'search-ms:', 'ms-msdt:'],
]);

const isWeb = ({ protocol }: URL) => protocol === 'http:' || protocol === 'https:';

/** `https:`, loopback `http:`, or a scheme of the application's own (RFC 8252, 7), without a fragment or a user. */
export function isRedirectUri(text: string): boolean {
  if (!uri.test(text) || text.includes('#') || !URL.canParse(text)) return false;
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') return false;
  if (url.protocol === 'http:') return withoutPort(text) !== text || loopback.test(text);
  // Without the slashes, a page of `https:` resolves it against its own address.
  return url.protocol === 'https:' ? /^https:\/\/[^/]/i.test(text) : !foreignSchemes.has(url.protocol);
}

/** An `http:` URI on one of these hosts, before and after its port. */
const loopback = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::\d*)?(?=[/?]|$)/;

const withoutPort = (text: string) => text.replace(loopback, '$1');

/** To the letter, except for the port on a loopback address (RFC 8252, 7.3). */
export const matches = (registered: string, asked: string): boolean =>
  registered === asked || (withoutPort(registered) === withoutPort(asked) && isRedirectUri(asked));

/** The host, or the scheme of an application's own. */
export function hostOf(redirectUri: string): string {
  const url = new URL(redirectUri);
  return isWeb(url) ? url.hostname : url.protocol.slice(0, -1);
}

/** Whether it leads to a program on the computer of the browser. */
export function isLocal(redirectUri: string): boolean {
  const url = new URL(redirectUri);
  return !isWeb(url) || isLoopback(url.hostname) || /(^|\.)localhost\.?$/.test(url.hostname);
}

/** Adds parameters to the query, which stays as it is (RFC 6749, 3.1.2). */
export function withParameters(redirectUri: string, parameters: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const separator = /[?&]$/.test(redirectUri) ? '' : redirectUri.includes('?') ? '&' : '?';
  return `${redirectUri}${separator}${new URLSearchParams(given).toString()}`;
}
