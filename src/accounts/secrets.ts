import { createHmac, randomBytes, randomInt } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { CodePurpose } from '../kernel/security-log.ts';

/** Whom a code is for: codes of each are counted, and replace each other, by themselves. */
export interface CodeSubject {
  purpose: CodePurpose;
  /** An e-mail address; for `EMAIL_CHANGE` the id of the account. */
  subject: string;
}

/** A new six-digit code. */
export const newCode = () => String(randomInt(1_000_000)).padStart(6, '0');

/** What is stored of a code: keyed, so that the database alone does not give it away (OWASP ASVS 6.5.2). */
export const hashCode = (secret: string, { purpose, subject }: CodeSubject, code: string) =>
  createHmac('sha256', secret).update(`${purpose} code\n${subject}\n${code}`).digest('base64url');

/** The secret kept in the data folder, made at the first start. */
export async function ownSecret(dataDir: string): Promise<string> {
  const file = path.join(dataDir, 'session-secret');
  const candidate = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    await writeFile(candidate, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600 });
    // A link is made whole or not at all: of two processes that start at once, both read the first one's.
    await link(candidate, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(candidate, { force: true });
  }
  return (await readFile(file, 'utf8')).trim();
}
