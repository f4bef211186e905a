import { randomUUID } from 'node:crypto';
import { readdir, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { invalid } from '../kernel/errors.ts';
import { makeFolder, writeWhole } from '../kernel/files.ts';
import { SharedLimiter } from '../kernel/keyed-limiter.ts';
import { log } from '../kernel/logger.ts';
import { maxFileBytes } from '../kernel/input.ts';

/** Pixels a side at the most, of what is stored. */
const side = 512;

/** A file of few bytes can be a huge picture once it is decoded (OWASP ASVS 5.2.6). */
const pictureLimits = {
  pixels: 50_000_000,
  /** Bytes of the decoded picture: those pixels in three channels of 8 bits. An interlaced one is decoded as a whole. */
  decodedBytes: 150_000_000,
} as const;

// Threads that decode say nothing of the event loop and the database: whoever waits for them is idle.
const waiting = { maxWaitMs: 30_000, keepsIdle: true };
/** Each that is decoded takes a thread of Node's pool for up to a second. */
const picturesOfAccount = { ...waiting, name: 'pictures_of_account', concurrency: 1, maxWaiting: 20 };
/** Half of the pool is left to passwords, files and host names. */
const picturesOfAll = { ...waiting, name: 'pictures', concurrency: 2, maxWaiting: 1_000 };

/** What this folder's files are called, temporary ones included: nothing else in it is touched. */
const ownName = /^\.?[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}(\.jpg|\.png)?(\.tmp)?$/;
/** Milliseconds after which a file that no row names is a stray: an upload takes seconds from its file to its row. */
const strayAgeMs = 60 * 60 * 1000;
/** Names that are looked up in one statement. */
const namesPerLookup = 1000;

/**
 * The avatars' files, each under a name of its own that is never used again, so that they can be
 * cached for ever. Several processes may share the folder.
 */
export class AvatarFolder {
  readonly folder: string;
  readonly #pictures = new SharedLimiter(picturesOfAccount, picturesOfAll);

  constructor(dataDir: string) {
    this.folder = path.join(dataDir, 'avatars');
  }

  /**
   * Stores a JPEG or PNG anew: turned upright, without metadata, at most 512 pixels a side.
   * @param account id of whose picture it is
   * @returns the file's name
   * @param signal ends the wait for its turn, with its reason
   * @throws VALIDATION_FAILED for what is too large or neither of the two by its content; UNAVAILABLE where the account
   *   has too many waiting, or its turn does not come in time
   */
  async add(file: File, account: string, signal?: AbortSignal): Promise<string> {
    if (file.size > maxFileBytes) throw invalid('image', 'must be at most 5 MiB in size');
    if (file.size === 0) throw notAPicture();
    const { bytes, format } = await this.#pictures.run(account, () => reencode(file), signal);
    const name = `${randomUUID()}.${format === 'jpeg' ? 'jpg' : 'png'}`;
    await makeFolder(this.folder);
    await writeWhole(path.join(this.folder, name), bytes);
    return name;
  }

  /** Removes a file that no row names any more. One that cannot be removed now is left to {@link removeStrays}. */
  async remove(name: string): Promise<void> {
    await rm(path.join(this.folder, path.basename(name)), { force: true }).catch(({ code }: NodeJS.ErrnoException) =>
      log.warn({ reason: code }, 'an avatar could not be removed'),
    );
  }

  /**
   * Removes files that no row names and that are too old for one to name them yet: what a crash, a full disk or a lost
   * connection left behind.
   * @param findNamed which of the names are in rows
   * @returns how many were removed
   */
  async removeStrays(findNamed: (names: string[]) => Promise<Set<string>>): Promise<number> {
    const names = await this.#namesOlderThan(strayAgeMs);
    let removed = 0;
    for (let start = 0; start < names.length; start += namesPerLookup) {
      const some = names.slice(start, start + namesPerLookup);
      const named = await findNamed(some);
      const strays = some.filter((name) => !named.has(name));
      await Promise.all(strays.map((name) => this.remove(name)));
      removed += strays.length;
    }
    if (removed > 0) log.info({ files: removed }, 'stray avatars were removed');
    return removed;
  }

  async #namesOlderThan(milliseconds: number): Promise<string[]> {
    const names = (await readdir(this.folder).catch(() => [])).filter((name) => ownName.test(name));
    if (names.length === 0) return [];
    const now = await this.#fileSystemClock();
    const isOld = async (name: string) => {
      // Another process may just have removed it.
      const found = await stat(path.join(this.folder, name)).catch(() => undefined);
      return found?.isFile() && now - found.mtimeMs > milliseconds;
    };
    const old = [];
    for (const name of names) if (await isOld(name)) old.push(name);
    return old;
  }

  /** What time it is where the files are, which may be another machine: in milliseconds since 1970. */
  async #fileSystemClock(): Promise<number> {
    const probe = path.join(this.folder, `.${randomUUID()}.tmp`);
    try {
      await writeFile(probe, '');
      return (await stat(probe)).mtimeMs;
    } finally {
      await rm(probe, { force: true });
    }
  }
}

/**
 * Loaded with the first picture: it takes memory that most processes never need. It can read JPEG and PNG alone then, so that
 * no other file meets a decoder, whatever it says that it is: SVG is XML (OWASP ASVS 1.3.4, 1.5.1).
 */
async function loadDecoder() {
  const { default: sharp } = await import('sharp');
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: ['VipsForeignLoadJpegBuffer', 'VipsForeignLoadPngBuffer'] });
  return sharp;
}

let decoder: ReturnType<typeof loadDecoder> | undefined;

/** Decodes a picture, whose header says what that takes, and encodes it as it is stored. @throws VALIDATION_FAILED */
async function reencode(file: File) {
  const sharp = await (decoder ??= loadDecoder());
  const { pixels, decodedBytes } = pictureLimits;
  const input = Buffer.from(await file.arrayBuffer());
  // Reads the header alone.
  const { format, width, height, channels, depth } = await sharp(input, { limitInputPixels: false })
    .metadata()
    .catch(() => {
      throw notAPicture();
    });
  if (format !== 'jpeg' && format !== 'png') throw notAPicture();
  const bytesPerPixel = channels * (depth === 'ushort' ? 2 : 1);
  if (width * height > pixels || width * height * bytesPerPixel > decodedBytes) {
    throw invalid('image', 'must have at most 50 megapixels, fewer where it is transparent or of 16 bits a channel');
  }
  const bytes = await sharp(input, { limitInputPixels: pixels, failOn: 'error' })
    .rotate()
    .resize(side, side, { fit: 'inside', withoutEnlargement: true })
    .toFormat(format)
    .toBuffer()
    .catch(() => {
      throw invalid('image', 'must be a JPEG or PNG picture that can be read');
    });
  return { bytes, format };
}

const notAPicture = () => invalid('image', 'must be a JPEG or PNG picture');
