import { readFileSync, statSync } from 'node:fs';
import { BlockList, isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import addressparser from 'nodemailer/lib/addressparser';
import { z } from 'zod';
import { problemOfUrl, withPlainMode } from '@taskgate/postgres';

// Error messages follow the name of the variable.

/** Of one line. A blank or a line break of a copied value would become part of a path, a name or a password. */
export const text = z.string().refine((value) => value.trim() === value && !/\p{Cc}/u.test(value), {
  error: 'must not begin or end with a blank, or have a line break',
  abort: true,
});

/** In other places than a shell's assignment, `~` is the name of a folder. */
export const folder = text.refine((value) => !value.startsWith('~'), { error: 'must be a path without ~' });

/** Longer names do not exist (RFC 1035, 2.3.4), and would fill the line of the refusal. */
export const host = text.refine((value) => value.length <= 253, { error: 'must be an address of this machine' });

/** Without a byte order mark, which some editors add. */
export function readText(file: string): { text: string } | { problem: string } {
  try {
    // A device may have no end, and a pipe no writer.
    const stats = statSync(file);
    if (stats.isCharacterDevice() || stats.isFIFO()) return { problem: 'must name a file, and not a device or a pipe' };
    return { text: readFileSync(file, 'utf8').replace(/^\uFEFF/, '') };
  } catch (error) {
    return { problem: `must name a file that can be read (${(error as NodeJS.ErrnoException).code})` };
  }
}

export const textFile = z.string().transform((file, context) => {
  const read = readText(file);
  if ('text' in read) return read.text;
  context.addIssue({ code: 'custom', message: read.problem });
  return z.NEVER;
});

export const lines = textFile.transform((text): ReadonlySet<string> => new Set(text.split(/\r?\n/)));

/** A path would be lost: all addresses of the service are below its origin. */
export const origin = text.transform((value, context) => {
  const parsed = URL.canParse(value) ? new URL(value) : undefined;
  const isOrigin =
    parsed && ['http:', 'https:'].includes(parsed.protocol) && !parsed.hostname.includes('*') && isBare(parsed);
  if (isOrigin) return parsed.origin;
  const message = 'must be an http or https URL without a path, a query or a user, such as https://example.org';
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
});

const isBare = ({ pathname, search, hash, username, password }: URL) =>
  pathname === '/' && [search, hash, username, password].every((part) => part === '');

const hintOf = (schemes: string[]) =>
  schemes.includes('https:') ? '' : ', with % and two digits for special characters of a password';

const url = (...schemes: string[]) =>
  text.refine((value) => URL.canParse(value) && schemes.includes(new URL(value).protocol), {
    error: `must be a valid URL that begins with ${schemes.map((scheme) => `${scheme}//`).join(' or ')}${hintOf(schemes)}`,
    abort: true,
  });

const serverUrl = (...schemes: string[]) =>
  url(...schemes)
    .refine((value) => new URL(value).hostname !== '', { error: 'must be a URL with a host' })
    .refine((value) => isDecodable(value), { error: 'must be a URL in which % is written as %25' });

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

export const databaseUrl = url('postgres:', 'postgresql:').transform((value, context) => {
  const plain = withPlainMode(value);
  const problem = problemOfUrl(plain);
  if (problem === undefined) return plain;
  context.addIssue({ code: 'custom', message: problem });
  return z.NEVER;
});

export const redisUrl = serverUrl('redis:', 'rediss:').refine((value) => /^\/?\d*$/.test(new URL(value).pathname), {
  error: 'must be a URL whose path, if it has one, is the number of a database',
});

/** The longest timer of Node.js. */
const maxTimeoutMs = 2 ** 31 - 1;

const smtpFlags = ['secure', 'requireTLS', 'ignoreTLS', 'opportunisticTLS', 'tls.rejectUnauthorized', 'lmtp', 'pool'];
const smtpTimeouts = ['connectionTimeout', 'greetingTimeout', 'socketTimeout', 'dnsTimeout'];
const smtpParameters = [
  ...smtpFlags,
  ...smtpTimeouts,
  ...['tls.servername', 'tls.minVersion', 'tls.maxVersion', 'tls.ciphers', 'authMethod', 'name', 'localAddress'],
  ...['proxy', 'maxConnections', 'maxMessages', 'rateDelta', 'rateLimit', 'logger', 'debug'],
];

const parametersOf = (value: string) => [...new URL(value).searchParams];

/**
 * Nodemailer takes options from the parameters. It ignores one in another case, such as `requireTls`, and takes each
 * word but `false` for true. A timeout in any other form ends the process at the first mail.
 */
export const smtpUrl = serverUrl('smtp:', 'smtps:')
  .refine(
    (value) => {
      const names = parametersOf(value).map(([name]) => name);
      return names.every((name, index) => smtpParameters.includes(name) && names.indexOf(name) === index);
    },
    { error: `must be a URL whose parameters are of ${smtpParameters.join(', ')}, each once` },
  )
  .refine(
    (value) => parametersOf(value).every(([name, flag]) => !smtpFlags.includes(name) || /^(true|false)$/.test(flag)),
    { error: `must be a URL in which ${smtpFlags.join(', ')} are true or false` },
  )
  .refine(
    (value) =>
      parametersOf(value).every(
        ([name, ms]) => !smtpTimeouts.includes(name) || (/^[1-9]\d{0,9}$/.test(ms) && Number(ms) <= maxTimeoutMs),
      ),
    { error: `must be a URL whose timeouts are whole numbers of milliseconds from 1 to ${maxTimeoutMs}` },
  );

/** One mailbox, with or without a name. Mails have it as their sender, in a header and to the mail server. */
export const mailbox = text.refine(
  (value) => {
    const [sender, ...others] = addressparser(value);
    const address = sender && 'address' in sender ? (sender.address ?? '') : '';
    return /^(?!"").+@[^\s@]+$/.test(address) && others.length === 0;
  },
  { error: 'must be one e-mail address, such as Tasks <tasks@example.com>' },
);

/** A base for paths: without a trailing slash. */
export const base = url('http:', 'https:')
  .refine((value) => new URL(value).search === '', { error: 'must be a URL without a query' })
  .transform((value) => value.replace(/\/+$/, ''));

/** Everybody sees it. */
export const publicBase = base.refine((value) => new URL(value).username + new URL(value).password === '', {
  error: 'must be a URL without a user',
});

export const integer = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d+$/, `must be a whole number from ${min} to ${max}`)
    .transform(Number)
    .refine((value) => value >= min && value <= max, { error: `must be a whole number from ${min} to ${max}` });

/** A client has four times as much, which must fit PostgreSQL's integer. */
const maxQuota = 500_000_000;
const rateForm = 'must be a number from 1 to 500000000, a slash, and seconds from 1 to 86400, such as 500/10';

/** Quota per seconds: `60000/60`. */
export const rate = z
  .string()
  .regex(/^\d{1,9}\/\d{1,5}$/, rateForm)
  .transform((value) => {
    const [quota = 0, windowSeconds = 0] = value.split('/').map(Number);
    return { quota, windowSeconds };
  })
  .refine(
    ({ quota, windowSeconds }) => quota >= 1 && quota <= maxQuota && windowSeconds >= 1 && windowSeconds <= 86_400,
    rateForm,
  );

export const word = <const Words extends readonly [string, ...string[]]>(...words: Words) =>
  z.enum(words, { error: `must be ${words.slice(0, -1).join(', ')} or ${words.at(-1)}` });

export const onOff = word('on', 'off');

export const list = z.string().transform((value) =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean),
);

function isNetwork(entry: string): boolean {
  const [address = '', range, ...more] = entry.split('/');
  const version = isIP(address);
  if (version === 0 || more.length > 0) return false;
  if (range === undefined) return true;
  const bits =
    version === 4 && isIP(range) === 4
      ? ipaddr.IPv4.parse(range).prefixLengthFromSubnetMask()
      : /^\d+$/.test(range) && Number(range);
  return Number(bits) >= 1 && Number(bits) <= (version === 4 ? 32 : 128);
}

export const trustProxy = z.string().transform((value, context) => {
  if (['true', 'false'].includes(value)) return value === 'true';
  if (/^\d{1,2}$/.test(value)) return Number(value);
  const named = ['loopback', 'linklocal', 'uniquelocal'];
  const entries = value.split(',').map((entry) => entry.trim());
  if (entries.every((entry) => named.includes(entry) || isNetwork(entry))) return entries;
  context.addIssue({
    code: 'custom',
    message: 'must be true, false, a number of hops up to 99, or a list of addresses',
  });
  return z.NEVER;
});

/** Undefined for an empty list. */
export const networks = list.transform((entries, context) => {
  const networks = new BlockList();
  for (const entry of entries) {
    const [address = '', bits = '', ...more] = entry.split('/');
    const version = isIP(address);
    const isWhole = more.length === 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128);
    if (version !== 0 && isWhole) networks.addSubnet(address, Number(bits), version === 4 ? 'ipv4' : 'ipv6');
    else context.addIssue({ code: 'custom', message: 'must be a list of networks, such as 10.0.0.0/8,fd00::/8' });
  }
  return entries.length > 0 ? networks : undefined;
});
