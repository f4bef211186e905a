import { invalid } from '../kernel/errors.ts';

const maxLength = 2000;

/** Characters of a URL: visible ASCII without the backslash, because browsers take it for a slash. */
const written = /^\/[\x21-\x5b\x5d-\x7e]*$/;

/** Characters that may begin a new line in a decoded path. */
const lineBreaking = /[\p{Cc}\p{Zl}\p{Zp}]/u;

/** A browser may read this start as another origin. */
const foreign = /^\/[/\\]/;

function isOwnPath(path: string, publicUrl: string): boolean {
  if (path.length > maxLength || !written.test(path)) return false;
  try {
    if (lineBreaking.test(decodeURIComponent(path))) return false;
  } catch {
    return false;
  }
  if (foreign.test(path)) return false;
  // Dot segments are resolved, and some readers decode the path first.
  const { origin, pathname } = new URL(path, publicUrl);
  return origin === new URL(publicUrl).origin && !foreign.test(decodeURIComponent(pathname));
}

/**
 * The path of this origin that a browser returns to. It is refused or kept to the letter: a link to here must lead nowhere else.
 * @throws VALIDATION_FAILED
 */
export function requirePath(returnTo: unknown, publicUrl: string): string {
  if (typeof returnTo === 'string' && isOwnPath(returnTo, publicUrl)) return returnTo;
  throw invalid(
    'returnTo',
    'must be a path of this origin: it begins with one / and is percent-encoded, without control characters',
  );
}

/** The path with the error for the page there; it goes before a fragment. */
export function withError(path: string, code: string): string {
  const [before = '', ...fragment] = path.split('#');
  const hash = fragment.length > 0 ? `#${fragment.join('#')}` : '';
  return `${before}${before.includes('?') ? '&' : '?'}error=${code}${hash}`;
}
