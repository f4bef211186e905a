import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { StartError } from '@taskgate/base';

/** In the form of `sha256sum`, which can check a copy of a backup too. */
export const checksumFile = 'SHA256SUMS';

/** @throws the signal's reason */
export async function writeChecksums(folder: string, signal: AbortSignal): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  let lines = '';
  for (const entry of entries.filter((each) => each.isFile())) {
    signal.throwIfAborted();
    const file = path.join(entry.parentPath, entry.name);
    const relative = path.relative(folder, file).replaceAll(path.sep, '/');
    lines += `${await checksumOf(file)}  ${relative}\n`;
  }
  await writeFile(path.join(folder, checksumFile), lines, { mode: 0o600, flush: true });
}

/**
 * @returns false for a folder without checksums
 * @throws {StartError} naming the first file that differs; the signal's reason
 */
export async function verifyChecksums(folder: string, signal: AbortSignal): Promise<boolean> {
  const lines = await readFile(path.join(folder, checksumFile), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (lines === undefined) return false;
  // Without its last line break, the list itself is cut off.
  for (const line of lines.split('\n').slice(0, lines.endsWith('\n') ? -1 : undefined)) {
    signal.throwIfAborted();
    const [checksum, name = ''] = line.split('  ', 2);
    if ((await checksumOf(path.join(folder, name)).catch(() => undefined)) !== checksum) {
      throw new StartError(
        `${name || checksumFile} in ${folder} is missing or damaged: use another copy of the backup`,
      );
    }
  }
  return true;
}

async function checksumOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
