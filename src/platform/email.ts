import { z } from 'zod';
import { codePoints, invisible, text } from './input.ts';

/** A mail domain has a dot. Unicode is allowed (RFC 6531). */
const address = /^[^\s@"(),:;<>[\\\]]+@[^\s@"(),:;<>[\\\]._]+(\.[^\s@"(),:;<>[\\\]._]+)+$/u;

/** Mail to addresses with such characters does not arrive. Joiners are allowed: scripts and emoji need them. */
const invisibleCharacters = new RegExp(`(?![\\u200C\\u200D\\uFE0F])${invisible}`, 'u');

/** RFC 5321, 4.5.3.1.3, without the angle brackets. */
const maxEmailLength = 254;

export const email = text()
  .trim()
  .toLowerCase()
  .pipe(
    z
      .string()
      .refine(
        (value) => codePoints(value) <= maxEmailLength && address.test(value) && !invisibleCharacters.test(value),
        {
          error: `must be an e-mail address of at most ${maxEmailLength} characters`,
        },
      ),
  )
  .meta({ format: 'email', maxLength: maxEmailLength, examples: ['anna@example.com'] });
