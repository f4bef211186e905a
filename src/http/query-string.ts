import { isUtf8 } from 'node:buffer';
import { invalid } from '../kernel/errors.ts';
import { isText, notText } from '../kernel/input.ts';

/** Parameters that a query string may have: as many ids as its length allows, each under the name again. */
export const maxParameters = 4000;

/** What clients put after the name of a list: `ids[]=a`, `ids[0]=a`. */
const listSuffix = /(?<=.)\[\d*\]$/;

/**
 * Reads a query string as names with one value or, where a name comes more than once, all of them, in their order. A name is the
 * same with and without `[]` or `[0]`. It takes time in proportion to the length, and decodes as URLSearchParams does (URL Standard, 5.1), except that
 * bytes that are no UTF-8 are refused instead of replaced.
 * @param query without the `?`; may be empty; Express says null where there is none
 * @throws VALIDATION_FAILED where there are too many parameters, or one holds what is no text
 */
export function parseQueryString(query: string | null): Record<string, string | string[]> {
  if (query === null) return {};
  const parameters = new Map<string, string | string[]>();
  let count = 0;
  for (let start = 0; start < query.length; count += 1) {
    if (count === maxParameters) throw invalid('query', `must have at most ${maxParameters} parameters`);
    const found = query.indexOf('&', start);
    const end = found === -1 ? query.length : found;
    if (end > start) add(parameters, query.slice(start, end));
    start = end + 1;
  }
  return Object.fromEntries(parameters);
}

function add(parameters: Map<string, string | string[]>, parameter: string): void {
  const equals = parameter.indexOf('=');
  const name = decode(equals === -1 ? parameter : parameter.slice(0, equals), 'query').replace(listSuffix, '');
  const value = equals === -1 ? '' : decode(parameter.slice(equals + 1), name);
  const before = parameters.get(name);
  if (before === undefined) parameters.set(name, value);
  else if (typeof before === 'string') parameters.set(name, [before, value]);
  else before.push(value);
}

/** Node gives the bytes of a URL as code units; most are below 128 and mean themselves. */
const isPlain = (text: string) => !/[%+\0\u0080-\uffff]/.test(text);

const byte = (hex: string) => String.fromCharCode(Number.parseInt(hex, 16));

/** UTF-16 code units that a problem says of a name. */
const longestName = 100;

function decode(text: string, path: string): string {
  if (isPlain(text)) return text;
  const escaped = text.replaceAll('+', ' ');
  const bytes = Buffer.from(
    escaped.replace(/%([\da-f]{2})/gi, (_, hex: string) => byte(hex)),
    'latin1',
  );
  if (!isUtf8(bytes)) throw invalid(path.slice(0, longestName), 'must be UTF-8, percent-encoded');
  const decoded = bytes.toString();
  if (!isText(decoded)) throw invalid(path.slice(0, longestName), notText);
  return decoded;
}
