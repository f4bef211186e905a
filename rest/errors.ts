import type { Response } from 'express';
import { MulterError } from 'multer';
import { errorCodes, type InputProblem, invalid, TaskgateError, ValidationError } from '../src/kernel/errors.ts';
import { presentable } from '../src/kernel/execute.ts';

/** Answers an error with its status and the JSON error body (contract, part 7). */
export function sendError(response: Response, error: unknown, requestId: string): void {
  const { message, extensions } = presentable(asRequestError(error), requestId);
  const code = extensions['code'] as keyof typeof errorCodes;
  if (typeof extensions['retryAfter'] === 'number') response.set('Retry-After', String(extensions['retryAfter']));
  response.set('Cache-Control', 'no-store');
  const problems = extensions['errors'];
  response.status(errorCodes[code].status).json({ message, code, ...(problems ? { errors: problems } : {}) });
}

/** Errors of Express and of its parsers are the request's fault: 400, or 404 for a file that is not there. */
function asRequestError(error: unknown): unknown {
  if (error instanceof MulterError) {
    const message = error.code === 'LIMIT_FILE_SIZE' ? 'must be at most 5 MiB in size' : 'cannot be read';
    return invalid(error.field ?? 'body', message);
  }
  if (!(error instanceof Error && 'status' in error && typeof error.status === 'number') || error.status >= 500)
    return error;
  if (error.status === 404) return unknownPath();
  if (error.status === 413) return invalid('body', 'must be at most 1 MiB in size');
  // Only what reads bodies gives its errors a type.
  return 'type' in error
    ? invalid('body', 'must be well-formed JSON in UTF-8')
    : invalid('path', 'must be well-formed');
}

/** Problems of the core under the names of the contract: `input.sectionId` becomes `projectSectionId`. */
export function renamed(error: unknown, names: Record<string, string> = {}): unknown {
  if (!(error instanceof ValidationError)) return error;
  const rename = ({ path, message }: InputProblem) => {
    const [head = '', ...rest] = path.replace(/^(input|body|query|path)\./, '').split('.');
    return { path: [names[head] ?? head, ...rest].join('.'), message };
  };
  return new ValidationError(error.problems.map(rename));
}

export const unknownPath = () => new TaskgateError('NOT_FOUND', 'There is no such endpoint');
