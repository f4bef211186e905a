import { execFile, spawnSync } from 'node:child_process';
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Chunk sizes in bytes. The smallest is smaller than any write of the service. */
const [largestChunk, smallestChunk] = [1024 * 1024, 512];

const missingRights = 'a disk of its own takes root and the right to mount';

/** A disk in memory. */
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
   * Mounts a tmpfs, which needs root.
   * @returns undefined if that is not allowed (an error in CI, unless TASKGATE_TESTS_MOUNT is off)
   */
  static async mount(mebibytes: number): Promise<SmallDisk | undefined> {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'taskgate-disk-'));
    try {
      await run('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m,mode=0711`, 'tmpfs', folder]);
      return new SmallDisk(folder);
    } catch (error) {
      await rm(folder, { recursive: true });
      if (process.env['CI'] && process.env['TASKGATE_TESTS_MOUNT'] !== 'off') {
        throw new Error(`${missingRights}; TASKGATE_TESTS_MOUNT=off leaves it out`, { cause: error });
      }
      console.warn(`not tried: ${missingRights}`);
      return undefined;
    }
  }

  async fill(): Promise<void> {
    const file = await open(this.#filler, 'w');
    try {
      for (let size = largestChunk; size >= smallestChunk; size /= 2) await writeAll(file, Buffer.alloc(size));
    } finally {
      await file.close();
    }
  }

  free = () => rm(this.#filler, { force: true });

  async unmount(): Promise<void> {
    process.off('exit', this.#unmountAtExit);
    await run('umount', [this.folder]);
    await rm(this.folder, { recursive: true });
  }
}

async function writeAll(file: FileHandle, chunk: Buffer): Promise<void> {
  try {
    while ((await file.write(chunk)).bytesWritten === chunk.length);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}
