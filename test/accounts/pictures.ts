import sharp from 'sharp';
import type { Client } from '../kit/client.ts';

const profile = '/api/v1/user/profile';

export const plainPicture = (red = 0) =>
  sharp({ create: { width: 8, height: 8, channels: 3, background: { r: red, g: 0, b: 0 } } })
    .png()
    .toBuffer();

const frame = [
  'ffd8',
  `ffdb004300${'10'.repeat(64)}`,
  // Progressive, 8 x 8, one channel.
  'ffc2000b080008000801011100',
  // Two Huffman tables, each with one symbol.
  `ffc400140001${'00'.repeat(16)}`,
  `ffc400141001${'00'.repeat(16)}`,
].join('');
const averageScan = 'ffda00080101000000007f';
const detailsScan = 'ffda0008010100013f007f';

/** A grey picture. A decoder takes the same details any number of times. */
export const jpegOfScans = (scans: number) =>
  Buffer.from(`${frame}${averageScan}${detailsScan.repeat(scans - 1)}ffd9`, 'hex');

function form(image: Uint8Array) {
  const data = new FormData();
  data.set('name', 'Anna');
  data.set('image', new Blob([image as BlobPart]), 'me');
  return data;
}

export const upload = (client: Client, image: Uint8Array) => client.post(profile, form(image));
export const imageOf = async (client: Client) =>
  (await client.get<{ user: { image: string } }>(profile)).body.user.image;
