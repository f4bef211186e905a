import { randomUUID } from 'node:crypto';
import { invalid } from '../kernel/errors.ts';
import { FairQueue } from '../kernel/fair-queue.ts';
import { maxFileBytes } from '../kernel/input.ts';

/** Longest side of what is stored, in pixels. */
const side = 512;

/** A file of few bytes can be a huge picture once it is decoded (OWASP ASVS 5.2.6). */
const pictureLimits = {
  pixels: 50_000_000,
  /** Bytes of the decoded picture: those pixels in three channels of 8 bits. An interlaced one is decoded as a whole. */
  decodedBytes: 150_000_000,
} as const;

/**
 * Pictures that are decoded, by account. Each takes a thread of Node's pool for up to a second; half of the pool is left to
 * passwords, files and host names.
 */
const picturePolicy = { name: 'pictures', slots: 2, slotsPerKey: 1, waitingPerKey: 20, idle: 'all' } as const;

export interface StoredPicture {
  /** Its own, never used again, so that it can be cached for ever. */
  name: string;
  bytes: Uint8Array;
}

/** Encodes pictures, those of an account one after another. */
export class PictureEncoder {
  readonly #queue = new FairQueue(picturePolicy);

  /**
   * Re-encodes a JPEG or PNG: turned upright, without metadata, at most 512 pixels a side.
   * @param account id of whose picture it is
   * @param signal ends the wait for its turn, with its reason
   * @throws VALIDATION_FAILED for what is too large or neither of the two by its content; UNAVAILABLE where the account
   *   has too many waiting, or its turn does not come in time
   */
  async encode(file: File, account: string, signal?: AbortSignal): Promise<StoredPicture> {
    if (file.size > maxFileBytes) throw invalid('image', 'must be at most 5 MiB in size');
    if (file.size === 0) throw notAPicture();
    const { bytes, format } = await this.#queue.run(account, () => reencode(file), { signal });
    return { name: `${randomUUID()}.${format === 'jpeg' ? 'jpg' : 'png'}`, bytes };
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
