import { createHash, createHmac, randomBytes, randomInt } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import bcrypt from 'bcrypt';

/** OWASP's least work factor for bcrypt. */
const rounds = 10;

/** bcrypt reads 72 bytes at the most, so it is given a digest of the whole password (OWASP ASVS 6.2.8). */
const digest = (password: string) => createHash('sha256').update(password, 'utf8').digest('base64');

export const hashPassword = (password: string): Promise<string> => bcrypt.hash(digest(password), rounds);

/** What an unknown address is compared with, so that it takes the same work as a known one. */
const nobodysHash = bcrypt.hashSync(randomBytes(32).toString('base64'), rounds);

/** @param hash null where there is no account, or one without a password: takes the same time, and is false */
export async function verifyPassword(password: string, hash: string | null): Promise<boolean> {
  const matches = await bcrypt.compare(digest(password), hash ?? nobodysHash);
  return matches && hash !== null;
}

/** A new six-digit code. */
export const newCode = () => String(randomInt(1_000_000)).padStart(6, '0');

/** What is stored of a code: keyed, so that the database alone does not give it away (OWASP ASVS 6.5.2). */
export const hashCode = (secret: string, email: string, code: string) =>
  createHmac('sha256', secret).update(`sign-up code\n${email}\n${code}`).digest('base64url');

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
