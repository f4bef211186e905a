import { z } from 'zod';
import { type InputProblem, ValidationError } from './errors.ts';

const kinds: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

/** Zod's problems as ends of sentences, to stand behind the name of the field: "title must be a string". */
z.config({
  customError: (issue) => {
    if (issue.code === 'invalid_type') {
      const expected = kinds[issue.expected] ?? issue.expected;
      return issue.input === undefined ? `is required and must be ${expected}` : `must be ${expected}`;
    }
    if (issue.code === 'invalid_value') return `must be one of ${issue.values.map(String).join(', ')}`;
    return undefined;
  },
});

/** A string that PostgreSQL can hold: no NUL character, no lone surrogate. */
export const text = () =>
  z.string().refine((value) => !value.includes('\0') && value.isWellFormed(), {
    error: 'must not contain NUL characters or lone surrogates',
  });

/** Length in Unicode code points, as the contract counts it; one outside the Basic Multilingual Plane has two units. */
export function codePoints(value: string): number {
  let count = value.length;
  for (let index = 1; index < value.length; index += 1) {
    if (isSecondHalf(value.charCodeAt(index)) && isFirstHalf(value.charCodeAt(index - 1))) count -= 1;
  }
  return count;
}

const isFirstHalf = (unit: number) => unit >= 0xd800 && unit < 0xdc00;
const isSecondHalf = (unit: number) => unit >= 0xdc00 && unit < 0xe000;

/** Text of several lines, as it is, of up to `max` code points. */
export const paragraphs = (max: number) =>
  text().refine((value) => codePoints(value) <= max, { error: `must be at most ${max} characters long` });

/** Trimmed text of 1 to `max` code points. */
export const line = (max: number) =>
  text()
    .trim()
    .refine((value) => value !== '' && codePoints(value) <= max, { error: `must be 1 to ${max} characters long` });

/** A name of a project, section, tag, user or workspace. */
export const name = () => line(255);

/** A whole number within bounds, both included. */
export const wholeNumber = (min: number, max: number) =>
  z.number().refine((value) => Number.isInteger(value) && value >= min && value <= max, {
    error: `must be a whole number from ${min} to ${max}`,
  });

/** Zod's issues in our form. */
export const problemsOf = (error: z.ZodError, prefix = ''): InputProblem[] =>
  error.issues.map(({ path, message }) => ({
    path: [prefix, ...path].filter((part) => part !== '').join('.'),
    message,
  }));

/**
 * Reads input by its shape.
 * @param prefix path of the argument that holds it, for the problems' paths
 * @throws {ValidationError} with every problem
 */
export function parse<Shape extends z.ZodType>(shape: Shape, input: unknown, prefix = ''): z.output<Shape> {
  const result = shape.safeParse(input);
  if (!result.success) throw new ValidationError(problemsOf(result.error, prefix));
  return result.data;
}
