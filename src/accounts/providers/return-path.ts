import { invalid } from '@taskgate/base';

const maxLength = 2000;

/** Visible ASCII without the backslash, which browsers read as a slash. */
const allowedCharacters = /^\/[\x21-\x5b\x5d-\x7e]*$/;

/** Begins a new line in a decoded path. */
const lineBreaking = /[\p{Cc}\p{Zl}\p{Zp}]/u;

/** Browsers may read it as another origin. */
const otherOrigin = /^\/[/\\]/;

function isOwnPath(path: string, publicUrl: string): boolean {
  if (path.length > maxLength || !allowedCharacters.test(path)) return false;
  try {
    if (lineBreaking.test(decodeURIComponent(path))) return false;
  } catch {
    return false;
  }
  if (otherOrigin.test(path)) return false;
  // Resolves dot segments. Some readers decode the path first.
  const { origin, pathname } = new URL(path, publicUrl);
  return origin === new URL(publicUrl).origin && !otherOrigin.test(decodeURIComponent(pathname));
}

/** The path cannot lead to another origin. @throws VALIDATION_FAILED */
export function requirePath(returnTo: unknown, publicUrl: string): string {
  if (typeof returnTo === 'string' && isOwnPath(returnTo, publicUrl)) return returnTo;
  throw invalid(
    'returnTo',
    'must be a path of this origin: it begins with one / and is percent-encoded, without control characters',
  );
}

export function withError(path: string, code: string): string {
  const [before = '', ...fragment] = path.split('#');
  const hash = fragment.length > 0 ? `#${fragment.join('#')}` : '';
  return `${before}${before.includes('?') ? '&' : '?'}error=${code}${hash}`;
}
