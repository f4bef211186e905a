import { randomBytes } from 'node:crypto';
import { link, mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { StartError } from './start-error.ts';

/** Writes a file atomically and durably. Leaves nothing behind on failure. @param file must have no other writer */
export async function writeWhole(file: string, bytes: Uint8Array, { mode = 0o644 } = {}): Promise<void> {
  const { dir, base } = path.parse(file);
  // Dotfiles are not served.
  const temporary = path.join(dir, `.${base}.tmp`);
  try {
    await writeFile(temporary, bytes, { flag: 'wx', mode, flush: true });
    await rename(temporary, file);
    await syncFolder(dir);
  } catch (error) {
    await Promise.allSettled([rm(temporary, { force: true }), rm(file, { force: true })]);
    throw error;
  }
}

/** In characters. An empty secret would let everybody sign. */
export const minSecretLength = 16;

async function readSecret(file: string): Promise<string> {
  const content = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') throw error;
    throw new StartError(`${file} cannot be read (${error.code})`);
  });
  const secret = content.trim();
  if (secret.length >= minSecretLength) return secret;
  throw new StartError(`${file} has no secret: restore it from a backup, or remove it, and a new one is made`);
}

/** Returns the secret in a file, created if missing. @throws {StartError} naming the file, if it has none */
export async function secretIn(file: string): Promise<string> {
  const existing = await readSecret(file).catch(ignoreGone);
  if (existing !== undefined) return existing;
  const candidate = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    await writeFile(candidate, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flush: true });
    // Atomic: two processes that start at once both read the secret of the first.
    await link(candidate, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(candidate, { force: true });
  }
  await syncFolder(path.dirname(file));
  return readSecret(file);
}

export function ignoreGone(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

/** Syncing a file does not sync its name. */
export async function syncFolder(folder: string): Promise<void> {
  // Windows cannot open folders.
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}

/**
 * Creates a folder and its parents. Node's `recursive` option never returns if it cannot create a folder below an
 * existing parent, as in `/proc`.
 * @throws the error of mkdir(2)
 */
export async function makeFolder(folder: string, mode = 0o777): Promise<void> {
  const error = await errorOfMaking(folder, mode);
  if (error === undefined) return;
  const parent = path.dirname(folder);
  if (error.code !== 'ENOENT' || parent === folder) throw error;
  await makeFolder(parent, mode);
  const second = await errorOfMaking(folder, mode);
  if (second) throw second;
}

async function errorOfMaking(folder: string, mode: number): Promise<NodeJS.ErrnoException | undefined> {
  try {
    await mkdir(folder, { mode });
  } catch (error) {
    const isFolder = await stat(folder).then(
      (entry) => entry.isDirectory(),
      () => false,
    );
    if (!isFolder) return error as NodeJS.ErrnoException;
  }
  return undefined;
}
