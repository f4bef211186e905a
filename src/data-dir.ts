import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { makeFolder } from './kernel/folders.ts';
import { because } from './kernel/start-error.ts';

/** Enough that a full disk shows. */
const probe = Buffer.alloc(16 * 1024);

/**
 * Makes the data folder where it is missing, and writes to it: permissions alone do not tell whether that can be done.
 * @throws {StartError} naming the folder and the error's code
 */
export async function openDataDir(dataDir: string): Promise<void> {
  await makeFolder(dataDir).catch(because(`DATA_DIR ${shortened(dataDir)} cannot be made`));
  const file = path.join(dataDir, `.probe-${randomUUID()}`);
  await writeFile(file, probe, { flush: true })
    .finally(() => rm(file, { force: true }))
    .catch(because(`DATA_DIR ${shortened(dataDir)} cannot be written to`));
}

/** A path that is too long for the system is too long for a line, too. */
const shortened = (text: string) => (text.length > 300 ? `${text.slice(0, 300)}…` : text);
