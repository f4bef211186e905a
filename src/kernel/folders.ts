import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';

/**
 * Makes a folder and those above it that are missing; one that is there is left as it is. Node's own recursive way
 * never comes to an end where a folder cannot be made although the one above it is there, as below `/proc`.
 * @param mode of the folders that are made
 * @throws the error of mkdir(2)
 */
export async function makeFolder(folder: string, mode = 0o777): Promise<void> {
  const error = await attempt(folder, mode);
  if (error === undefined) return;
  const parent = path.dirname(folder);
  if (error.code !== 'ENOENT' || parent === folder) throw error;
  await makeFolder(parent, mode);
  const second = await attempt(folder, mode);
  if (second) throw second;
}

async function attempt(folder: string, mode: number): Promise<NodeJS.ErrnoException | undefined> {
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
