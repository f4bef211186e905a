import { type InputProblem, ValidationError } from '../src/kernel/errors.ts';

/** Problems of the core under the names of the contract: `input.sectionId` becomes `projectSectionId`. */
export function renamed(error: unknown, names: Record<string, string> = {}): unknown {
  if (!(error instanceof ValidationError)) return error;
  const rename = ({ path, message }: InputProblem) => {
    const [head = '', ...rest] = path.replace(/^(input|filter|body|query|path)\./, '').split('.');
    return { path: [names[head] ?? head, ...rest].join('.'), message };
  };
  return new ValidationError(error.problems.map(rename));
}
