import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import path from 'node:path';
import sharp from 'sharp';
import { loadOf } from '../../packages/work/load.ts';
import { PictureEncoder } from '../../src/accounts/profile/avatars.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp, type User } from '../kit/users.ts';
import { imageOf, plainPicture, upload } from './pictures.ts';

describe('avatars', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());

  const stored = async (user: User) =>
    (await service.sql<{ name: string }>('SELECT name FROM avatars WHERE user_id = $1', [user.id])).map(
      ({ name }) => name,
    );

  test('are files', async () => {
    const anna = await signUp(service);
    const form = new FormData();
    form.set('name', 'Anna');
    form.set('image', 'a text');
    expect(await anna.post('/api/v1/user/profile', form)).toMatchObject({
      status: 400,
      body: { errors: [{ path: 'image', message: 'must be a file' }] },
    });
  });

  test('are one file, in its own field', async () => {
    const anna = await signUp(service);
    const picture = new Blob([new Uint8Array(await plainPicture())]);
    const send = async (...fields: string[]) => {
      const form = new FormData();
      form.set('name', 'Anna');
      for (const field of fields) form.append(field, picture, 'me.png');
      return anna.post('/api/v1/user/profile', form);
    };
    expect(await send('image', 'image')).toMatchObject({
      status: 400,
      body: { message: 'body must have at most one file' },
    });
    expect(await send('photo')).toMatchObject({ status: 400, body: { message: 'photo must not be a file' } });
    expect(await send('')).toMatchObject({ status: 400, body: { message: 'body must name each field' } });
  });

  test('keep only the named picture when several are uploaded at once', async () => {
    const anna = await signUp(service);
    const pictures = await Promise.all(Array.from({ length: 8 }, (_, index) => plainPicture(index)));
    const answers = await Promise.all(pictures.map((picture) => upload(anna, picture)));
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    const image = await imageOf(anna);
    expect(await stored(anna)).toEqual([path.basename(image)]);
    expect((await fetch(image)).status).toBe(200);
  });

  test('are read in pieces if they are large, and not again by clients that have them', async () => {
    const anna = await signUp(service);
    const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const;
    const large = sharp({ create: { width: 512, height: 512, channels: 3, background: 'grey', noise } }).png();
    expect(await upload(anna, await large.toBuffer())).toMatchObject({ status: 200 });
    const image = await imageOf(anna);
    const answer = await fetch(image);
    const bytes = Buffer.from(await answer.arrayBuffer());
    expect(bytes.length).toBeGreaterThan(3 * 128 * 1024);
    expect(answer.headers.get('content-length')).toBe(String(bytes.length));
    expect(await sharp(bytes).stats()).toMatchObject({ isOpaque: true });
    const [row] = await service.sql<{ bytes: Buffer }>('SELECT bytes FROM avatars WHERE user_id = $1', [anna.id]);
    expect(bytes.equals(row?.bytes ?? Buffer.of())).toBe(true);
    const head = await fetch(image, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(bytes.length)]);
    // Without this header, fetch adds no-cache, which requests the bytes in any case.
    const headers = { 'If-None-Match': answer.headers.get('etag') ?? '', 'Cache-Control': 'max-age=0' };
    const revalidated = await fetch(image, { headers });
    expect(revalidated.status).toBe(304);
    expect((await fetch(image, { method: 'DELETE' })).status).toBe(404);
  });

  test('are decoded one at a time for an account, and two at a time for all', async () => {
    const pictures = new PictureEncoder();
    const bytes = await plainPicture();
    const startedUploads: string[] = [];
    let release = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    const uploads = ['anna', 'anna', 'ben', 'clara'].map((account) => {
      const file = new File([bytes], 'me.png');
      file.arrayBuffer = async () => {
        startedUploads.push(account);
        await released;
        return new Uint8Array(bytes).buffer;
      };
      return pictures.encode(file, account);
    });
    while (startedUploads.length < 2) await new Promise((resolve) => setImmediate(resolve));
    expect(startedUploads).toEqual(['anna', 'ben']);
    release();
    expect(new Set(await Promise.all(uploads)).size).toBe(4);
    expect(startedUploads).toEqual(['anna', 'ben', 'clara', 'anna']);
    expect(loadOf('pictures')).toEqual({ running: 0, waiting: 0 });
  });
});
