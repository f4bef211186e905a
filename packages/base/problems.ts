import { z } from 'zod';
import type { InputProblem } from './errors.ts';

const kinds: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

/** Phrases issues to follow a field's name: "title must be a string". */
z.config({
  customError: (issue) => {
    if (issue.code === 'invalid_type') {
      if (issue.input === null) return 'must not be null';
      const expected = kinds[issue.expected] ?? issue.expected;
      return issue.input === undefined ? `is required and must be ${expected}` : `must be ${expected}`;
    }
    if (issue.code === 'invalid_value')
      return `must be one of ${issue.values.map((value) => String(value) || 'an empty text').join(', ')}`;
    if (issue.origin === 'array' && issue.code === 'too_small') return `must have ${issue.minimum} or more entries`;
    if (issue.origin === 'array' && issue.code === 'too_big') return `must have ${issue.maximum} or fewer entries`;
    return undefined;
  },
});

/** 500,000 bad entries must not give 500,000 sentences. */
export const maxProblems = 20;

export const problemsOf = (error: z.ZodError, prefix = ''): InputProblem[] =>
  error.issues.slice(0, maxProblems).map(({ path, message }) => ({
    path: [prefix, ...path].filter((part) => part !== '').join('.'),
    message,
  }));
