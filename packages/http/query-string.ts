import { invalid, isText, notText } from '@taskgate/base';

/** Suffices for as many ids as the maximum length allows. */
export const maxParameters = 4000;

/** Removes the suffix of list parameters: `ids[]=a`, `ids[0]=a`. */
export const withoutListSuffix = (name: string): string => name.replace(/(?<=.)\[\d*\]$/, '');

/**
 * Takes linear time. Repeated names keep all values in order. Decodes like URLSearchParams (URL Standard, 5.1), but
 * refuses invalid UTF-8.
 * @param query without the `?`; may be null in Express
 * @throws VALIDATION_FAILED for too many parameters or a value that is not text
 */
export function parseQueryString(query: string | null): Record<string, string | string[]> {
  const pairs = (query ?? '').split('&').filter((each) => each !== '');
  if (pairs.length > maxParameters) throw invalid('query', `must have at most ${maxParameters} parameters`);
  const parameters = new Map<string, string | string[]>();
  for (const each of pairs) add(parameters, each);
  return Object.fromEntries(parameters);
}

function add(parameters: Map<string, string | string[]>, parameter: string): void {
  const equals = parameter.indexOf('=');
  const name = withoutListSuffix(decode(equals === -1 ? parameter : parameter.slice(0, equals), 'query'));
  const value = equals === -1 ? '' : decode(parameter.slice(equals + 1), name);
  const before = parameters.get(name);
  if (before === undefined) parameters.set(name, value);
  else if (typeof before === 'string') parameters.set(name, [before, value]);
  else before.push(value);
}

const longestName = 100;

/** Stray percent signs, and non-ASCII bytes, which Node passes as code units. */
const unescaped = /%(?![\da-f]{2})|[\u0080-\u00ff]/gi;

function decode(text: string, path: string): string {
  const escaped = text.replaceAll('+', ' ').replace(unescaped, (byte) => `%${byte.charCodeAt(0).toString(16)}`);
  const at = path.slice(0, longestName);
  let decoded: string;
  try {
    decoded = decodeURIComponent(escaped);
  } catch {
    throw invalid(at, 'must be UTF-8, percent-encoded');
  }
  if (!isText(decoded)) throw invalid(at, notText);
  return decoded;
}
