import { execFile } from 'node:child_process';
import { mkdtemp, open, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A disk of a test's own, in memory, that can be filled. */
export class SmallDisk {
  readonly folder: string;
  readonly #filler: string;

  private constructor(folder: string) {
    this.folder = folder;
    this.#filler = path.join(folder, 'filler');
  }

  /**
   * Mounts a tmpfs, which takes root.
   * @returns undefined where that is not allowed, which CI does not let pass
   */
  static async mount(mebibytes: number): Promise<SmallDisk | undefined> {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'taskgate-disk-'));
    try {
      await run('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m,mode=0711`, 'tmpfs', folder]);
      return new SmallDisk(folder);
    } catch (error) {
      await rm(folder, { recursive: true });
      if (process.env['CI']) throw new Error('a disk of its own takes root and the right to mount', { cause: error });
      return undefined;
    }
  }

  /** Takes all that is free. */
  async fill(): Promise<void> {
    const file = await open(this.#filler, 'w');
    try {
      for (const part = Buffer.alloc(1024 * 1024); ;) await file.write(part);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    } finally {
      await file.close();
    }
  }

  /** Gives it back. */
  free = () => rm(this.#filler, { force: true });

  /** What is on it is gone. */
  async unmount(): Promise<void> {
    await run('umount', [this.folder]);
    await rm(this.folder, { recursive: true });
  }
}
