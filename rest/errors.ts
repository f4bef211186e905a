import type { Response } from 'express';
import { errorCodes, type InputProblem, ValidationError } from '../src/kernel/errors.ts';
import { presentable } from '../src/graphql/execute.ts';
import { asRequestError, headersOf, unknownPath } from '../src/transport/request-errors.ts';

/** Answers an error with its status and the JSON error body (contract, part 7). */
export function sendError(response: Response, error: unknown, requestId: string): void {
  const shown = presentable(asRequestError(error), requestId);
  const { message, extensions } = shown;
  // An answer that has begun cannot become another one: it is broken off, which the client sees.
  if (response.headersSent) return void response.destroy();
  const code = extensions['code'] as keyof typeof errorCodes;
  response.set({ ...headersOf(shown), 'Cache-Control': 'no-store' });
  const problems = extensions['errors'];
  response.status(errorCodes[code].status).json({ message, code, ...(problems ? { errors: problems } : {}) });
}

/** Problems of the core under the names of the contract: `input.sectionId` becomes `projectSectionId`. */
export function renamed(error: unknown, names: Record<string, string> = {}): unknown {
  if (!(error instanceof ValidationError)) return error;
  const rename = ({ path, message }: InputProblem) => {
    const [head = '', ...rest] = path.replace(/^(input|filter|body|query|path)\./, '').split('.');
    return { path: [names[head] ?? head, ...rest].join('.'), message };
  };
  return new ValidationError(error.problems.map(rename));
}

/** For Express: an unknown path, or a known one with a method that it lacks. */
export { unknownPath };
