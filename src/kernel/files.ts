import { open, rename, rm } from 'node:fs/promises';
import path from 'node:path';

/** The name under which a file is written until it is whole; with a dot in front, so that it is not served. */
const temporaryNameOf = (base: string) => `.${base}.tmp`;

/**
 * Writes a file that is there whole or not at all, and outlives a crash of the machine: under a temporary name, synced
 * to the disk, renamed. Where that fails, as on a full disk, nothing of it is left.
 * @param file no other writer may write the same at the same time
 */
export async function writeWhole(file: string, bytes: Uint8Array, { mode = 0o644 } = {}): Promise<void> {
  const { dir, base } = path.parse(file);
  const temporary = path.join(dir, temporaryNameOf(base));
  try {
    await withHandle(temporary, 'wx', mode, async (handle) => {
      await handle.writeFile(bytes);
      await handle.sync();
    });
    await rename(temporary, file);
    await syncFolder(dir);
  } catch (error) {
    // What the caller is told is why the file was not written, not why its rest could not be removed.
    await Promise.allSettled([rm(temporary, { force: true }), rm(file, { force: true })]);
    throw error;
  }
}

/** Writes the names of a folder's files to the disk: to sync a file does not sync its name. */
export async function syncFolder(folder: string): Promise<void> {
  // Windows opens no folders.
  if (process.platform === 'win32') return;
  await withHandle(folder, 'r', undefined, (handle) => handle.sync());
}

type FileHandle = Awaited<ReturnType<typeof open>>;

async function withHandle(
  file: string,
  flags: string,
  mode: number | undefined,
  work: (handle: FileHandle) => Promise<void>,
) {
  const handle = await open(file, flags, mode);
  try {
    await work(handle);
  } finally {
    await handle.close();
  }
}
