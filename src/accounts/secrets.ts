import { createHmac, randomInt } from 'node:crypto';
import type { CodePurpose } from '../kernel/security-log.ts';

/** Whom a code is for: codes of each are counted, and replace each other, by themselves. */
export interface CodeSubject {
  purpose: CodePurpose;
  /** An e-mail address; for `EMAIL_CHANGE` the id of the account. */
  subject: string;
}

export const newCode = () => String(randomInt(1_000_000)).padStart(6, '0');

/** What is stored of a code: keyed, so that the database alone does not give it away (OWASP ASVS 6.5.2). */
export const hashCode = (secret: string, { purpose, subject }: CodeSubject, code: string) =>
  createHmac('sha256', secret).update(`${purpose} code\n${subject}\n${code}`).digest('base64url');
