import { open, readFile, rename, truncate } from 'node:fs/promises';
import { dirname } from 'node:path';
import { applyRecords, type Records, type ReplicaStorage } from './replica/storage.ts';
import { SerialQueue } from './serial-queue.ts';

/** Minimum size of a file before it is rewritten. */
const minRewriteBytes = 256 * 1024;
/** Growth before it is rewritten. */
const maxGrowth = 3;

/**
 * A storage in a file, for one process at a time. The file is a log: each write appends a line of JSON and flushes it to the disk before it
 * resolves. An incomplete last line is ignored.
 * @param path in an existing folder; rewriting uses `${path}.new`
 */
export const fileStorage = (path: string): ReplicaStorage => new FileStorage(path);

class FileStorage implements ReplicaStorage {
  readonly #path: string;
  readonly #records = new Map<string, unknown>();
  /** Complete lines; the rest is overwritten. */
  #length = 0;
  /** Size after the last rewrite. */
  #compactLength = 0;
  readonly #queue = new SerialQueue();

  constructor(path: string) {
    this.#path = path;
  }

  load(): Promise<Records> {
    return this.#queue.run(async () => {
      const bytes = await readFile(this.#path).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return Buffer.of();
        throw error;
      });
      this.#length = bytes.lastIndexOf('\n') + 1;
      this.#records.clear();
      for (const line of bytes.toString('utf8', 0, this.#length).split('\n')) {
        if (line !== '') applyRecords(this.#records, toRecords(line));
      }
      this.#compactLength = Buffer.byteLength(toLine(this.#records));
      return new Map(this.#records);
    });
  }

  write(changes: Records): Promise<void> {
    return this.#queue.run(async () => {
      this.#length = await writeAt(this.#path, toLine(changes), this.#length);
      applyRecords(this.#records, changes);
      if (this.#length > minRewriteBytes && this.#length > this.#compactLength * maxGrowth) await this.#compact();
    });
  }

  async close(): Promise<void> {
    await this.#queue.idle();
  }

  /** After a failure the old file stays, and is rewritten later. */
  async #compact(): Promise<void> {
    const copy = `${this.#path}.new`;
    try {
      await truncate(copy).catch(() => undefined);
      const length = await writeAt(copy, toLine(this.#records), 0);
      await rename(copy, this.#path);
      // The path names the new file from here on.
      this.#length = length;
      this.#compactLength = length;
      await syncFolder(dirname(this.#path));
    } catch {
      this.#compactLength = this.#length;
    }
  }
}

/** Pairs of key and value; only the keys of deleted records. */
const toLine = (records: Records) =>
  `${JSON.stringify([...records].map(([key, value]) => (value === undefined ? [key] : [key, value])))}\n`;

const toRecords = (line: string): Records =>
  new Map((JSON.parse(line) as [string, unknown?][]).map(([key, value]) => [key, value]));

/** Writes text at an offset, truncates the file after it, and flushes it. @returns the new end */
async function writeAt(path: string, text: string, position: number): Promise<number> {
  const bytes = Buffer.from(text);
  const file = await open(path, 'r+').catch(() => open(path, 'w'));
  try {
    await file.truncate(position);
    for (let offset = 0; offset < bytes.length;) {
      const result = await file.write(bytes, offset, bytes.length - offset, position + offset);
      offset += result.bytesWritten;
    }
    await file.datasync();
  } finally {
    await file.close();
  }
  return position + bytes.length;
}

/** Without this, a crash may lose the rename and later writes. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  await folder.sync().finally(() => folder.close());
}
