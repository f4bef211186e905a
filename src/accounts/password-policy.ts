import { readFile } from 'node:fs/promises';
import { invalid } from '../kernel/errors.ts';
import { codePoints } from '../kernel/input.ts';
import { StartError } from '../kernel/start-error.ts';

/** What an operator requires of new passwords; the contract itself requires nothing. */
export interface PasswordPolicy {
  /** Code points that a password has at least; undefined: one. */
  minLength: number | undefined;
  /** Passwords that are too common, as they are. */
  blocked: ReadonlySet<string>;
}

/**
 * Reads passwords that nobody may choose, one a line.
 * @param file undefined: there are none
 * @throws {StartError} where it cannot be read
 */
export async function blockedPasswords(file: string | undefined): Promise<ReadonlySet<string>> {
  if (file === undefined) return new Set();
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new StartError(`PASSWORD_BLOCKLIST cannot be read: ${error.code ?? error.message}`);
  });
  return new Set(text.replace(/^\uFEFF/, '').split(/\r?\n/));
}

/**
 * @param path of the argument that has the password
 * @throws VALIDATION_FAILED where a new password is shorter than the operator wants, or too common
 */
export function requireAccepted({ minLength = 1, blocked }: PasswordPolicy, password: string, path = 'password'): void {
  if (codePoints(password) < minLength) throw invalid(path, `must be at least ${minLength} characters long`);
  if (blocked.has(password)) throw invalid(path, 'is too common: choose another one');
}
