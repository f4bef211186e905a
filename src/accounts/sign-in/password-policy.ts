import { invalid } from '@taskgate/base';
import { codePoints } from '../../platform/input.ts';

/** The operator's requirements. The contract has none. */
export interface PasswordPolicy {
  /** Code points. One if undefined. */
  minLength: number | undefined;
  /** Passwords in clear text. */
  blocked: ReadonlySet<string>;
}

/** @throws VALIDATION_FAILED at `path` */
export function requireAccepted({ minLength = 1, blocked }: PasswordPolicy, password: string, path = 'password'): void {
  if (codePoints(password) < minLength) throw invalid(path, `must be at least ${minLength} characters long`);
  if (blocked.has(password)) throw invalid(path, 'is too common: choose another one');
}
