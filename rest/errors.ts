import type { Response } from 'express';
import { MulterError } from 'multer';
import { errorCodes, type InputProblem, TaskgateError, ValidationError } from '../src/kernel/errors.ts';
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

/** Errors of Express' and multer's parsing are the request's fault: 400, whatever status they carry. */
function asRequestError(error: unknown): unknown {
  if (error instanceof MulterError) {
    const tooLarge = error.code === 'LIMIT_FILE_SIZE';
    return new ValidationError([
      { path: error.field ?? 'body', message: tooLarge ? 'must be at most 5 MiB in size' : 'cannot be read' },
    ]);
  }
  if (error instanceof Error && 'status' in error && typeof error.status === 'number' && error.status < 500) {
    const tooLarge = error.status === 413;
    return new ValidationError([
      { path: 'body', message: tooLarge ? 'must be at most 1 MiB in size' : 'must be well-formed JSON in UTF-8' },
    ]);
  }
  return error;
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

/** For Express: an unknown path, or a known one with a method that it lacks. */
export const unknownPath = () => new TaskgateError('NOT_FOUND', 'There is no such endpoint');
