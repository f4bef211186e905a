import { invalid } from '../kernel/errors.ts';
import { codePoints } from '../kernel/input.ts';

/** What an operator requires of new passwords; the contract itself requires nothing. */
export interface PasswordPolicy {
  /** Code points that a password has at least; undefined: one. */
  minLength: number | undefined;
  /** Passwords that are too common, as they are. */
  blocked: ReadonlySet<string>;
}

/**
 * @param path of the argument that has the password
 * @throws VALIDATION_FAILED where a new password is shorter than the operator wants, or too common
 */
export function requireAccepted({ minLength = 1, blocked }: PasswordPolicy, password: string, path = 'password'): void {
  if (codePoints(password) < minLength) throw invalid(path, `must be at least ${minLength} characters long`);
  if (blocked.has(password)) throw invalid(path, 'is too common: choose another one');
}
