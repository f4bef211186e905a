import { open, readFile, rename, truncate } from 'node:fs/promises';
import { dirname } from 'node:path';
import { applyRecords, type Records, type ReplicaStorage } from './replica/storage.ts';
import { Turns } from './turns.ts';

/** Bytes up to which a file is only appended to, however little of it still counts. */
const smallFileBytes = 256 * 1024;
/** How many times larger than its current records a file may get before it is rewritten. */
const maxGrowth = 3;

/**
 * A storage in a file, for one process at a time. The file is a log: each write is a line of JSON, appended and flushed to the disk
 * before it is answered. A line that was cut off counts as not written.
 * @param path of the file, in a folder that exists; `${path}.new` is used while it is rewritten
 */
export const fileStorage = (path: string): ReplicaStorage => new FileStorage(path);

class FileStorage implements ReplicaStorage {
  readonly #path: string;
  readonly #records = new Map<string, unknown>();
  /** Bytes of the whole lines; what lies behind them is overwritten. */
  #length = 0;
  /** Bytes of the file when it held nothing twice. */
  #compactLength = 0;
  /** Of calls. */
  readonly #turns = new Turns();

  constructor(path: string) {
    this.#path = path;
  }

  load(): Promise<Records> {
    return this.#turns.take(async () => {
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
    return this.#turns.take(async () => {
      this.#length = await writeAt(this.#path, toLine(changes), this.#length);
      applyRecords(this.#records, changes);
      if (this.#length > smallFileBytes && this.#length > this.#compactLength * maxGrowth) await this.#compact();
    });
  }

  async close(): Promise<void> {
    await this.#turns.done();
  }

  /** Rewrites the file with its current records. If that fails the old one stays, and is rewritten later. */
  async #compact(): Promise<void> {
    const copy = `${this.#path}.new`;
    try {
      await truncate(copy).catch(() => undefined);
      const length = await writeAt(copy, toLine(this.#records), 0);
      await rename(copy, this.#path);
      // The path has the new file from here on, also where the folder cannot be flushed.
      this.#length = length;
      this.#compactLength = length;
      await syncFolder(dirname(this.#path));
    } catch {
      this.#compactLength = this.#length;
    }
  }
}

/** A line has pairs of key and value, and keys alone of what is deleted. */
const toLine = (records: Records) =>
  `${JSON.stringify([...records].map(([key, value]) => (value === undefined ? [key] : [key, value])))}\n`;

const toRecords = (line: string): Records =>
  new Map((JSON.parse(line) as [string, unknown?][]).map(([key, value]) => [key, value]));

/** Writes text at an offset of a file, truncates the file after it, and flushes it to the disk. @returns where it ends */
async function writeAt(path: string, text: string, position: number): Promise<number> {
  const bytes = Buffer.from(text);
  const file = await open(path, 'r+').catch(() => open(path, 'w'));
  try {
    await file.truncate(position);
    for (let written = 0; written < bytes.length;) {
      const rest = await file.write(bytes, written, bytes.length - written, position + written);
      written += rest.bytesWritten;
    }
    await file.datasync();
  } finally {
    await file.close();
  }
  return position + bytes.length;
}

/** Without it the renaming may be lost where the machine stops, and what was written since with it. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  await folder.sync().finally(() => folder.close());
}
