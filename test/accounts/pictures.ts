import sharp from 'sharp';
import type { Client } from '../kit/client.ts';

const profile = '/api/v1/user/profile';

export const plainPicture = (red = 0) =>
  sharp({ create: { width: 8, height: 8, channels: 3, background: { r: red, g: 0, b: 0 } } })
    .png()
    .toBuffer();

function form(image: Uint8Array) {
  const data = new FormData();
  data.set('name', 'Anna');
  data.set('image', new Blob([image as BlobPart]), 'me');
  return data;
}

export const upload = (client: Client, image: Uint8Array) => client.post(profile, form(image));
export const imageOf = async (client: Client) =>
  (await client.get<{ user: { image: string } }>(profile)).body.user.image;
