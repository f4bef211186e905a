import { domainToASCII, domainToUnicode } from 'node:url';
import { z } from 'zod';
import { codePoints, invisible, text } from './input.ts';

/** A mail domain has a dot. Unicode is allowed (RFC 6531). */
const address = /^[^\s@"(),:;<>[\\\]]+@[^\s@"(),:;<>[\\\]._]+(\.[^\s@"(),:;<>[\\\]._]+)+$/u;

/** Mail to addresses with such characters does not arrive. Joiners are allowed: scripts and emoji need them. */
const invisibleCharacters = new RegExp(`(?![\\u200C\\u200D\\uFE0F])${invisible}`, 'u');

/** RFC 5321, 4.5.3.1.3, without the angle brackets. */
const maxEmailLength = 254;

/** In UTF-16 units. No account has a longer address. */
export const maxEmailUnits = 2 * maxEmailLength;

/** Other ASCII characters mean something else in a URL, whose rules map domains. */
const mappedDomain = /^[a-z\d.\u0080-\u{10ffff}-]+$/u;

/** Its lower case is the ASCII letter k. In a local part, that is another mailbox, which may be somebody else's. */
const kelvinSign = '\u212a';

const toLowerCase = (text: string) =>
  text
    .split(kelvinSign)
    .map((part) => part.toLowerCase())
    .join(kelvinSign);

/**
 * Gives a mailbox one spelling, so it has one account and one set of limits. Mail goes to the domain after the mapping
 * of UTS 46: `anna@ｅxample.com` is `anna@example.com`. Domains in ASCII stay as they are, also `xn--…`.
 */
export function canonicalEmail(typed: string): string {
  const value = toLowerCase(typed.trim());
  const start = value.lastIndexOf('@') + 1;
  const domain = value.slice(start);
  if (value.length > maxEmailUnits || invisibleCharacters.test(domain) || !mappedDomain.test(domain)) return value;
  const sent = domainToASCII(domain);
  return sent === '' || sent === domain ? value : `${value.slice(0, start)}${domainToUnicode(sent)}`;
}

export const email = text()
  .overwrite(canonicalEmail)
  .pipe(
    z
      .string()
      .refine(
        (value) =>
          codePoints(value) <= maxEmailLength &&
          address.test(value) &&
          !invisibleCharacters.test(value) &&
          !value.includes(kelvinSign),
        {
          error: `must be an e-mail address of at most ${maxEmailLength} characters`,
        },
      ),
  )
  .meta({ format: 'email', maxLength: maxEmailLength, examples: ['anna@example.com'] });
