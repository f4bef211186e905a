import { invalid } from '../kernel/errors.ts';
import { isText, notText } from '../kernel/input.ts';

/** Parameters that a query string may have: as many ids as its length allows, each under the name again. */
export const maxParameters = 4000;

/** Removes the suffix that clients append to the name of a list: `ids[]=a`, `ids[0]=a`. */
export const withoutListSuffix = (name: string): string => name.replace(/(?<=.)\[\d*\]$/, '');

/**
 * Reads a query string as names with one value or, where a name comes more than once, all of them, in their order. A name is the
 * same with and without `[]` or `[0]`. It takes time in proportion to the length, and decodes as URLSearchParams does (URL Standard, 5.1), except that
 * bytes that are no UTF-8 are refused instead of replaced.
 * @param query without the `?`; may be empty; Express says null where there is none
 * @throws VALIDATION_FAILED where there are too many parameters, or one holds what is no text
 */
export function parseQueryString(query: string | null): Record<string, string | string[]> {
  const given = (query ?? '').split('&').filter((each) => each !== '');
  if (given.length > maxParameters) throw invalid('query', `must have at most ${maxParameters} parameters`);
  const parameters = new Map<string, string | string[]>();
  for (const each of given) add(parameters, each);
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

/** UTF-16 code units that a problem says of a name. */
const longestName = 100;

/** What is to be escaped besides: a percent sign that begins no escape, and other bytes, which Node gives as code units. */
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
