import { createHmac, randomInt } from 'node:crypto';
import type { CodePurpose } from '../../platform/security-log.ts';

/** Subject of a code. Each has its own quota and one valid code. */
export interface CodeSubject {
  purpose: CodePurpose;
  /** E-mail address. For `EMAIL_CHANGE` the account's id. */
  subject: string;
}

export const newCode = () => String(randomInt(1_000_000)).padStart(6, '0');

/** The key keeps the database alone from revealing the code (OWASP ASVS 6.5.2). */
export const hashCode = (secret: string, { purpose, subject }: CodeSubject, code: string) =>
  createHmac('sha256', secret).update(`${purpose} code\n${subject}\n${code}`).digest('base64url');
