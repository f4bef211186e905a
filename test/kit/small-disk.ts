import { execFile, spawnSync } from 'node:child_process';
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Chunks in which a disk is filled, in bytes: the last of them are smaller than anything that is written. */
const [largestChunk, smallestChunk] = [1024 * 1024, 512];

const notAllowed = 'a disk of its own takes root and the right to mount';

/** A disk of a test's own, in memory, that can be filled. */
export class SmallDisk {
  readonly folder: string;
  readonly #filler: string;
  readonly #unmountAtExit: () => void;

  private constructor(folder: string) {
    this.folder = folder;
    this.#filler = path.join(folder, 'filler');
    this.#unmountAtExit = () => void spawnSync('umount', ['--lazy', folder]);
    process.once('exit', this.#unmountAtExit);
  }

  /**
   * Mounts a tmpfs, which takes root and a kernel that lets it.
   * @returns undefined where that is not allowed, which CI lets pass only where it has been said
   */
  static async mount(mebibytes: number): Promise<SmallDisk | undefined> {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'taskgate-disk-'));
    try {
      await run('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m,mode=0711`, 'tmpfs', folder]);
      return new SmallDisk(folder);
    } catch (error) {
      await rm(folder, { recursive: true });
      if (process.env['CI'] && process.env['TASKGATE_TESTS_MOUNT'] !== 'off') {
        throw new Error(`${notAllowed}; TASKGATE_TESTS_MOUNT=off leaves it out`, { cause: error });
      }
      console.warn(`not tried: ${notAllowed}`);
      return undefined;
    }
  }

  /** Takes all that is free. */
  async fill(): Promise<void> {
    const file = await open(this.#filler, 'w');
    try {
      for (let size = largestChunk; size >= smallestChunk; size /= 2) await writeAll(file, Buffer.alloc(size));
    } finally {
      await file.close();
    }
  }

  /** Gives it back. */
  free = () => rm(this.#filler, { force: true });

  /** What is on it is gone. */
  async unmount(): Promise<void> {
    process.off('exit', this.#unmountAtExit);
    await run('umount', [this.folder]);
    await rm(this.folder, { recursive: true });
  }
}

/** Writes the chunk again and again, until it does not fit. */
async function writeAll(file: FileHandle, chunk: Buffer): Promise<void> {
  try {
    while ((await file.write(chunk)).bytesWritten === chunk.length);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}
