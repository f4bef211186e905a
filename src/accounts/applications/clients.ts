import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { isVisible } from '../../platform/input.ts';
import { decodeOpaque, encodeOpaque } from '../../platform/opaque.ts';
import { isSigned, sign } from '../../platform/sealing.ts';
import { OAuthError } from './errors.ts';
import { hostOf, isRedirectUri } from './redirect-uris.ts';

const purpose = 'ids of clients';

export interface Client {
  /** Contains the rest, signed. */
  id: string;
  /** Chosen by the client, not verified. */
  name: string;
  redirectUris: string[];
}

const maxNameLength = 100;

/** Of a name as it came. Cleaning a megabyte blocks the event loop for a third of a second. */
const maxSentNameLength = 10_000;

/** Of all redirect URIs, so the client id fits a URL. */
const maxUrisLength = 3000;

/** Would change the direction or the order of the text around them. */
const bidiControls = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

// Counts and measures them before it parses each: the time for an international host grows with the square of its length.
const redirectUris = z
  .array(z.unknown())
  .min(1)
  .max(10)
  .pipe(z.array(z.string().max(maxUrisLength, { abort: true }).refine(isRedirectUri)));
const metadata = z.object({ client_name: z.string().nullish(), redirect_uris: z.unknown().optional() });
const contents = z.tuple([z.string(), z.string(), z.array(z.string())]);

/**
 * Registers a client (RFC 7591). Nothing is stored.
 * @throws OAuthError
 */
export function registerClient(secret: string, body: unknown): Client {
  const { data } = metadata.safeParse(body);
  if (!data) throw new OAuthError('invalid_client_metadata', 'Send a JSON object whose client_name is text.');
  const uris = redirectUris.safeParse(data.redirect_uris).data;
  if (!uris || uris.join('').length > maxUrisLength)
    throw new OAuthError(
      'invalid_redirect_uri',
      `redirect_uris must have 1 to 10 URIs, together up to ${maxUrisLength} characters. Each begins with https:, with http: on 127.0.0.1, [::1] or localhost, or with a scheme of the application, and has no fragment and no user.`,
    );
  const name = nameOf(data.client_name ?? '') ?? hostOf(uris[0] ?? '');
  const text = encodeOpaque([randomBytes(9).toString('base64url'), name, uris]);
  return { id: `${text}.${sign(secret, purpose, text)}`, name, redirectUris: uris };
}

function nameOf(text: string): string | undefined {
  const plain = text
    .slice(0, maxSentNameLength)
    .toWellFormed()
    .replace(bidiControls, '')
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  const name = Array.from(plain).slice(0, maxNameLength).join('').trim();
  return isVisible(name) ? name : undefined;
}

/** Undefined for an id that none of the secrets has signed. */
export function readClient(secrets: readonly string[], id: string): Client | undefined {
  const [text = '', signature = '', ...rest] = id.split('.');
  if (rest.length > 0 || !isSigned(secrets, signature, purpose, text)) return undefined;
  const [, name, uris] = contents.parse(decodeOpaque(text));
  return { id, name, redirectUris: uris };
}

/** Finds the client of a grant. */
export const keyOfClient = ({ id }: Pick<Client, 'id'>): string => createHash('sha256').update(id).digest('base64url');
