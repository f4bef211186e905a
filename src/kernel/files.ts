import { randomBytes } from 'node:crypto';
import { link, mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';

/**
 * Writes a file atomically and durably: under a temporary name, synced to the disk, renamed. If that fails, as on a full disk, nothing of
 * it is left.
 * @param file no other writer may write the same at the same time
 */
export async function writeWhole(file: string, bytes: Uint8Array, { mode = 0o644 } = {}): Promise<void> {
  const { dir, base } = path.parse(file);
  // With a dot in front, so that it is not served.
  const temporary = path.join(dir, `.${base}.tmp`);
  try {
    await writeFile(temporary, bytes, { flag: 'wx', mode, flush: true });
    await rename(temporary, file);
    await syncFolder(dir);
  } catch (error) {
    // What the caller learns is why the file was not written, not why its rest could not be removed.
    await Promise.allSettled([rm(temporary, { force: true }), rm(file, { force: true })]);
    throw error;
  }
}

/** The secret that a file holds, for this account alone; made where there is none. */
export async function secretIn(file: string): Promise<string> {
  const found = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  if (found !== undefined) return found.trim();
  const candidate = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    await writeFile(candidate, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flush: true });
    // A link is made whole or not at all: of two processes that start at once, both read the first one's.
    await link(candidate, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(candidate, { force: true });
  }
  await syncFolder(path.dirname(file));
  return (await readFile(file, 'utf8')).trim();
}

/** Writes the names of a folder's files to the disk: to sync a file does not sync its name. */
export async function syncFolder(folder: string): Promise<void> {
  // Windows opens no folders.
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}

/**
 * Makes a folder and its missing parents; an existing one is left as it is. Node's own recursive option never ends where a folder cannot be
 * made although its parent exists, as below `/proc`.
 * @param mode of the folders that are made
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

/** @returns why there is no such folder; undefined: there is one now */
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
