import { randomUUID } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { invalid } from '../kernel/errors.ts';
import { maxAvatarBytes } from './input.ts';

/** Pixels a side at the most, of what is stored. */
const side = 512;
/** A file of few bytes can unfold to a huge picture (OWASP ASVS 5.2.6); in pixels. */
const mostPixels = 50_000_000;

/**
 * The avatars' files, each under a name of its own that is never used again, so that they can be
 * cached for ever.
 */
export class AvatarFolder {
  readonly folder: string;

  constructor(dataDir: string) {
    this.folder = path.join(dataDir, 'avatars');
  }

  /**
   * Stores a JPEG or PNG anew: turned upright, without metadata, at most 512 pixels a side.
   * @returns the file's name
   * @throws VALIDATION_FAILED for what is too large or neither of the two by its content
   */
  async add(file: File): Promise<string> {
    if (file.size > maxAvatarBytes) throw invalid('image', 'must be at most 5 MiB in size');
    if (file.size === 0) throw invalid('image', 'must be a JPEG or PNG picture');
    // Loaded with the first picture: it takes memory that most processes never need.
    const { default: sharp } = await import('sharp');
    const picture = sharp(Buffer.from(await file.arrayBuffer()), { limitInputPixels: mostPixels, failOn: 'error' });
    const { format } = await picture.metadata().catch(() => ({ format: undefined }));
    if (format !== 'jpeg' && format !== 'png') throw invalid('image', 'must be a JPEG or PNG picture');
    const bytes = await picture
      .rotate()
      .resize(side, side, { fit: 'inside', withoutEnlargement: true })
      .toFormat(format)
      .toBuffer()
      .catch(() => {
        throw invalid('image', 'must be a JPEG or PNG picture that can be read');
      });
    const name = `${randomUUID()}.${format === 'jpeg' ? 'jpg' : 'png'}`;
    await mkdir(this.folder, { recursive: true });
    await writeFile(path.join(this.folder, name), bytes);
    return name;
  }

  async remove(name: string): Promise<void> {
    await rm(path.join(this.folder, path.basename(name)), { force: true });
  }
}
