import { randomUUID } from 'node:crypto';
import type { Metadata } from 'sharp';
import { invalid } from '@taskgate/base';
import { FairQueue } from '@taskgate/work';
import { maxFileBytes } from '../../platform/input.ts';

/** Longest side in pixels. */
const side = 512;

/** Small files can decode to huge pictures (OWASP ASVS 5.2.6). */
const pictureLimits = {
  pixels: 50_000_000,
  /** In three 8-bit channels. An interlaced picture is decoded as a whole. */
  decodedBytes: 150_000_000,
  /** A decoder goes through all pixels of a JPEG for each scan, which may have a few bytes. Encoders write about ten. */
  scans: 150,
} as const;

const startOfScan = Buffer.of(0xff, 0xda);

/** A picture takes a thread of Node's pool for up to a second. Half of the pool stays free. */
const picturePolicy = { name: 'pictures', slots: 2, slotsPerKey: 1, waitingPerKey: 20, idle: 'all' } as const;

export interface StoredPicture {
  /** Unique, so it can be cached forever. */
  name: string;
  bytes: Uint8Array<ArrayBuffer>;
}

export class PictureEncoder {
  readonly #queue = new FairQueue(picturePolicy);
  #decoder: Promise<Decoder> | undefined;

  /**
   * Makes a JPEG or PNG upright, without metadata, at most 512 pixels a side.
   * @throws VALIDATION_FAILED, UNAVAILABLE
   */
  async encode(file: File, account: string, signal?: AbortSignal): Promise<StoredPicture> {
    if (file.size > maxFileBytes) throw invalid('image', 'must be at most 5 MiB in size');
    if (file.size === 0) throw notAPicture();
    const { bytes, format } = await this.#queue.run(account, () => this.#reencode(file), { signal });
    return { name: `${randomUUID()}.${format === 'jpeg' ? 'jpg' : 'png'}`, bytes };
  }

  async #reencode(file: File) {
    this.#decoder ??= loadDecoder();
    return reencode(await this.#decoder, file);
  }
}

type Decoder = Awaited<ReturnType<typeof loadDecoder>>;

/**
 * Loaded at the first use, because it takes much memory. Blocks other formats, even if a file claims to be a picture
 * (OWASP ASVS 1.3.4, 1.5.1).
 */
async function loadDecoder() {
  const { default: sharp } = await import('sharp');
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: ['VipsForeignLoadJpegBuffer', 'VipsForeignLoadPngBuffer'] });
  return sharp;
}

/** @throws VALIDATION_FAILED */
async function reencode(sharp: Decoder, file: File) {
  const { pixels, decodedBytes, scans } = pictureLimits;
  const input = Buffer.from(await file.arrayBuffer());
  const picture = await sharp(input, { limitInputPixels: false })
    .metadata()
    .catch(() => {
      throw notAPicture();
    });
  const { format, width, height } = picture;
  if (format !== 'jpeg' && format !== 'png') throw notAPicture();
  if (width * height > pixels || width * height * bytesPerPixel(input, picture) > decodedBytes) {
    const fewer =
      'fewer if it is transparent, has 16 bits per channel, or is progressive with colours at full resolution';
    throw invalid('image', `must have at most 50 megapixels, or ${fewer}`);
  }
  if (format === 'jpeg' && hasMoreScans(input, scans)) throw invalid('image', `must have at most ${scans} scans`);
  const bytes = await sharp(input, { limitInputPixels: pixels, failOn: 'error' })
    .rotate()
    .resize(side, side, { fit: 'inside', withoutEnlargement: true })
    .toFormat(format)
    .toBuffer()
    .catch(() => {
      throw invalid('image', 'must be a readable JPEG or PNG picture');
    });
  return { bytes: new Uint8Array(bytes), format };
}

/** While it is decoded. A progressive JPEG is held as coefficients of 16 bits. */
function bytesPerPixel(picture: Buffer, { format, channels, depth, isProgressive }: Metadata): number {
  if (format === 'jpeg' && isProgressive) return 2 * samplesPerPixel(picture, channels);
  return channels * (depth === 'ushort' ? 2 : 1);
}

/** Segments of a JPEG that may precede its frame header: tables, restart interval, applications, comments. */
const isLeading = (marker: number) => marker >> 4 === 0xe || [0xc4, 0xdb, 0xdd, 0xfe].includes(marker);

/** By the frame header. All channels if it is not where encoders write it. The decoder calls any subsampling 4:2:0. */
function samplesPerPixel(jpeg: Buffer, channels: number): number {
  let at = 2;
  while (at + 4 < jpeg.length && jpeg[at] === 0xff && isLeading(jpeg.readUInt8(at + 1)))
    at += 2 + jpeg.readUInt16BE(at + 2);
  const components = jpeg.subarray(at + 10, at + 10 + 3 * (jpeg[at + 9] ?? 0));
  if (jpeg[at] !== 0xff || jpeg[at + 1] !== 0xc2 || components.length !== 3 * channels) return channels;
  const factors = [...components].filter((_byte, index) => index % 3 === 1);
  const [across, down] = [factors.map((each) => each >> 4), factors.map((each) => each & 15)];
  const samples = factors.reduce((sum, each) => sum + (each >> 4) * (each & 15), 0);
  return samples / (Math.max(...across) * Math.max(...down));
}

/** Also counts thumbnails, and a few pairs by chance in other data. */
function hasMoreScans(jpeg: Buffer, scans: number): boolean {
  let count = 0;
  for (let at = jpeg.indexOf(startOfScan); at !== -1 && count <= scans; at = jpeg.indexOf(startOfScan, at + 1))
    count += 1;
  return count > scans;
}

const notAPicture = () => invalid('image', 'must be a JPEG or PNG picture');
