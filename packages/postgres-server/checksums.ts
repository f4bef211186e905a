import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ignoreGone, StartError } from '@taskgate/base';

/** In the form of `sha256sum`, which can check a copy of a backup too. */
export const checksumFile = 'SHA256SUMS';

/** @throws the signal's reason */
export async function writeChecksums(folder: string, signal: AbortSignal): Promise<void> {
  let lines = '';
  for (const name of await filesIn(folder)) {
    signal.throwIfAborted();
    lines += `${lineOf(await checksumOf(path.join(folder, name)), name)}\n`;
  }
  await writeFile(path.join(folder, checksumFile), lines, { mode: 0o600, flush: true });
}

/** @throws {StartError} naming the first file that differs or is not listed; the signal's reason */
export async function verifyChecksums(folder: string, signal: AbortSignal): Promise<void> {
  const lines = await readFile(path.join(folder, checksumFile), 'utf8').catch(ignoreGone);
  if (lines === undefined) throw damaged(checksumFile, folder);
  const listed = new Set(lines.split('\n').filter(Boolean));
  // A list that was cut off lacks files of the folder.
  for (const name of await filesIn(folder)) {
    if (name === checksumFile) continue;
    signal.throwIfAborted();
    const checksum = await checksumOf(path.join(folder, name)).catch(() => '');
    if (!listed.delete(lineOf(checksum, name))) throw damaged(name, folder);
  }
  for (const line of listed) throw damaged(line.replace(/^\S+ +/, ''), folder);
}

/** A name may have a line break, which would end the line. */
const lineOf = (checksum: string, name: string) => `${checksum}  ${name.replaceAll('\n', '\\n')}`;

const damaged = (name: string, folder: string) =>
  new StartError(`${name} in ${folder} is missing, damaged or not in ${checksumFile}: use another copy of the backup`);

/** Of a mount point. Only root can read it. */
const ofFileSystem = 'lost+found';

export const contentOf = async (folder: string): Promise<string[]> =>
  (await readdir(folder)).filter((name) => name !== ofFileSystem);

/** Relative to the folder, with slashes. */
async function filesIn(folder: string, relative = ''): Promise<string[]> {
  const files: string[] = [];
  for (const entry of await readdir(path.join(folder, relative), { withFileTypes: true })) {
    const name = path.posix.join(relative, entry.name);
    if (entry.isFile()) files.push(name);
    else if (entry.isDirectory() && name !== ofFileSystem) files.push(...(await filesIn(folder, name)));
  }
  return files;
}

async function checksumOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
