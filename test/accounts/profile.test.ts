import { beforeAll, describe, expect, test } from '@jest/globals';
import { connect } from 'node:net';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import sharp from 'sharp';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { signUp, type User } from '../kit/users.ts';
import { jpegOfScans } from './pictures.ts';

const profile = '/api/v1/user/profile';

let service: Service;
beforeAll(async () => {
  service = await sharedService();
});

interface Profile {
  user: { name: string | null; image: string | null };
}

const read = async (user: User) => (await user.get<Profile>(profile)).body.user;
const files = () => service.sql('SELECT name FROM avatars ORDER BY name');
const picture = (width = 800, height = 400) =>
  sharp({ create: { width, height, channels: 3, background: { r: 200, g: 30, b: 30 } } });

async function pngWithHeader({
  side,
  bits = 8,
  hasAlpha = false,
}: {
  side: number;
  bits?: number;
  hasAlpha?: boolean;
}) {
  const bytes = await picture(4, 4).png().toBuffer();
  bytes.writeUInt32BE(side, 16);
  bytes.writeUInt32BE(side, 20);
  bytes.writeUInt8(bits, 24);
  bytes.writeUInt8(hasAlpha ? 6 : 2, 25);
  bytes.writeUInt32BE(crc32(bytes.subarray(12, 29)), 29);
  return bytes;
}

/** @param subsampling of the colours; progressive JPEGs are decoded as a whole */
const progressive = (side: number, subsampling: '4:2:0' | '4:4:4') =>
  picture(side, side).jpeg({ progressive: true, chromaSubsampling: subsampling }).toBuffer();

/** Two samples of each channel side by side, which decoders call subsampled like 4:2:0. */
async function widelySampled(side: number) {
  const bytes = await progressive(side, '4:4:4');
  const header = bytes.indexOf(Buffer.of(0xff, 0xc2));
  for (const channel of [0, 1, 2]) bytes[header + 11 + 3 * channel] = 0x21;
  return bytes;
}

function form(name: string | undefined, image?: Uint8Array | string, filename = 'me.jpg') {
  const data = new FormData();
  if (name !== undefined) data.set('name', name);
  if (image !== undefined) data.set('image', new Blob([image as BlobPart]), filename);
  return data;
}

describe(`GET ${profile}`, () => {
  test('returns the fields of the contract', async () => {
    const anna = await signUp(service);
    expect(await anna.get(profile)).toMatchObject({ status: 200 });
    expect((await anna.get(profile)).body).toEqual({
      user: {
        id: anna.id,
        name: null,
        email: anna.email,
        image: null,
        isPasswordSet: true,
        isOAuthLinked: false,
        provider: null,
        createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      },
    });
    expect(anna.id).toMatch(/^user_[0-9a-z]{26}$/);
  });
});

describe(`POST ${profile}`, () => {
  test('changes the name and keeps the avatar if none is sent', async () => {
    const anna = await signUp(service);
    await anna.post(profile, form('Anna', await picture().png().toBuffer()));
    const { image } = await read(anna);
    const answer = await anna.post(profile, form('  Änne 🦊 '));
    expect(answer).toMatchObject({ status: 200, body: { msg: 'user profile updated successfully' } });
    expect(await read(anna)).toMatchObject({ name: 'Änne 🦊', image });
    expect(image).not.toBeNull();
  });

  test.each(['jpeg', 'png'] as const)(
    're-encodes a %s: at most 512 pixels, upright, without metadata',
    async (format) => {
      const anna = await signUp(service);
      const bytes = await picture()
        .withExif({ IFD0: { Copyright: 'somebody', Software: 'a camera' } })
        .withMetadata({ orientation: 6 })
        .toFormat(format)
        .toBuffer();
      expect(await anna.post(profile, form('Anna', bytes, 'me.svg'))).toMatchObject({ status: 200 });
      const { image } = await read(anna);
      expect(image).toMatch(new RegExp(`^${service.url}/avatars/[\\w-]+\\.${format === 'jpeg' ? 'jpg' : 'png'}$`));
      const answer = await fetch(image ?? '');
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-type')).toBe(`image/${format}`);
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
      expect(answer.headers.get('cache-control')).toMatch(/public, max-age=31536000, immutable/);
      expect(answer.headers.get('content-disposition')).toBe(`inline; filename="${path.basename(image ?? '')}"`);
      expect(answer.headers.getSetCookie()).toEqual([]);
      const stored = await sharp(Buffer.from(await answer.arrayBuffer())).metadata();
      expect(stored).toMatchObject({ format, width: 256, height: 512 });
      expect([stored.exif, stored.orientation, stored.xmp, stored.iptc]).toEqual([
        undefined,
        undefined,
        undefined,
        undefined,
      ]);
    },
  );

  test('serves the new avatar under another URL and deletes the old one', async () => {
    const anna = await signUp(service);
    await anna.post(profile, form('Anna', await picture().png().toBuffer()));
    const { image: first } = await read(anna);
    await anna.post(profile, form('Anna', await picture(10, 10).png().toBuffer()));
    const { image: second } = await read(anna);
    expect(second).not.toBe(first);
    expect((await fetch(first ?? '')).status).toBe(404);
    expect((await fetch(second ?? '')).status).toBe(200);
  });

  test.each([
    ['an SVG', () => '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>'],
    ['a WebP', () => picture(4, 4).webp().toBuffer()],
    ['a GIF', () => picture(4, 4).gif().toBuffer()],
    ['text that calls itself a JPEG', () => 'no picture'],
    ['nothing', () => ''],
    ['half a JPEG', async () => (await picture(300, 300).jpeg().toBuffer()).subarray(0, 700)],
    ['a file of more than 5 MiB', () => new Uint8Array(5 * 1024 * 1024 + 1)],
    ['a small file of too many pixels', () => pngWithHeader({ side: 50_000 })],
  ])('refuses %s and stores nothing', async (_label, make: () => Promise<Uint8Array> | Uint8Array | string) => {
    const anna = await signUp(service);
    const before = await files();
    const answer = await anna.post(profile, form('Another', await make()));
    expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED', errors: [{ path: 'image' }] } });
    expect(await read(anna)).toMatchObject({ name: null, image: null });
    expect(await files()).toEqual(before);
  });

  test('decodes only JPEG and PNG', async () => {
    const anna = await signUp(service);
    await anna.post(profile, form('Anna', await picture(4, 4).png().toBuffer()));
    const others = [Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>')];
    for (const format of ['webp', 'gif', 'tiff'] as const) others.push(await picture(4, 4).toFormat(format).toBuffer());
    for (const file of others) await expect(sharp(file).metadata()).rejects.toThrow('unsupported image format');
    for (const format of ['jpeg', 'png'] as const) {
      expect(await sharp(await picture(4, 4).toFormat(format).toBuffer()).metadata()).toMatchObject({ format });
    }
  });

  test.each([
    ['many pixels', () => pngWithHeader({ side: 7_100 })],
    ['transparent pixels', () => pngWithHeader({ side: 7_000, hasAlpha: true })],
    ['pixels of 16 bits', () => pngWithHeader({ side: 5_100, bits: 16 })],
    ['progressive pixels', () => progressive(5_100, '4:4:4')],
    ['sampling', () => widelySampled(5_104)],
  ])('refuses a picture that would take too much memory by its %s, before it is decoded', async (_label, make) => {
    const anna = await signUp(service);
    const answer = await anna.post(profile, form('Anna', await make()));
    const problem = { path: 'image', message: expect.stringMatching(/^must have at most 50 megapixels/) };
    expect(answer).toMatchObject({ status: 400, body: { errors: [problem] } });
    expect(await read(anna)).toMatchObject({ name: null, image: null });
  });

  test('refuses a picture of many scans, because each scan decodes the whole picture again', async () => {
    const anna = await signUp(service);
    expect(await anna.post(profile, form('Anna', jpegOfScans(150)))).toMatchObject({ status: 200 });
    expect(await anna.post(profile, form('Anna', jpegOfScans(151)))).toMatchObject({
      status: 400,
      body: { errors: [{ path: 'image', message: 'must have at most 150 scans' }] },
    });
  });

  test.each([
    ['baseline', () => picture(7_000, 7_000).jpeg().toBuffer()],
    ['progressive', () => progressive(7_000, '4:2:0')],
  ])('accepts a %s picture of 49 megapixels', async (_label, make) => {
    const anna = await signUp(service);
    expect(await anna.post(profile, form('Anna', await make()))).toMatchObject({ status: 200 });
  });

  test.each([
    ['no name', undefined],
    ['a blank name', '   '],
    ['a name of 256 characters', 'x'.repeat(256)],
    ['a NUL character', 'a\0b'],
  ])('refuses %s and stores nothing', async (_label, name) => {
    const anna = await signUp(service);
    const before = await files();
    const answer = await anna.post(profile, form(name, await picture(4, 4).png().toBuffer()));
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ path: 'name' }] } });
    expect(await read(anna)).toMatchObject({ name: null, image: null });
    expect(await files()).toEqual(before);
  });

  test('refuses a second file, a file under another name, and JSON', async () => {
    const anna = await signUp(service);
    const two = form('Anna', await picture(4, 4).png().toBuffer());
    two.append('image', new Blob(['x']), 'x.png');
    const wrongField = form('Anna');
    wrongField.set('document', new Blob(['x']), 'x.png');
    for (const body of [two, wrongField, { name: 'Anna' }]) {
      expect(await anna.post(profile, body)).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } });
    }
    expect(await read(anna)).toMatchObject({ name: null, image: null });
  });

  test.each([
    [
      'ends in the middle of the file',
      '--x\r\nContent-Disposition: form-data; name="image"; filename="a.png"\r\n\r\nhalf',
    ],
    ['has no boundary in it', 'nothing of the kind'],
    ['has a part without a name', '--x\r\nContent-Disposition: form-data; name=""\r\n\r\n1\r\n--x--\r\n'],
  ])('refuses a form that %s', async (_label, body) => {
    const anna = await signUp(service);
    const headers = { 'Content-Type': 'multipart/form-data; boundary=x' };
    const answer = await anna.send('POST', profile, body, { headers });
    expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } });
    expect(await read(anna)).toMatchObject({ name: null });
  });

  test('survives an upload that breaks off', async () => {
    const anna = await signUp(service);
    const before = await files();
    const { port } = new URL(service.url);
    const socket = connect(Number(port), '127.0.0.1');
    const part = 'Content-Disposition: form-data; name="image"; filename="a.png"';
    socket.write(
      `POST ${profile} HTTP/1.1\r\nHost: x\r\nCookie: ${anna.cookie}\r\nContent-Length: 9999\r\n` +
        `Content-Type: multipart/form-data; boundary=x\r\n\r\n--x\r\n${part}\r\n\r\nhalf`,
      () => socket.destroy(),
    );
    await new Promise((resolve) => socket.once('close', resolve));
    expect(await anna.get(profile)).toMatchObject({ status: 200 });
    expect(await files()).toEqual(before);
  });
});

describe('GET /avatars/:file', () => {
  test.each([
    '/avatars/',
    '/avatars/none.png',
    '/avatars/%2e%2e/session-secret',
    '/avatars/..%2Fsession-secret',
    // Resolving this path would take a second.
    `/avatars/${'..%2F'.repeat(20_000)}`,
  ])('responds with 404 to %.40s', async (address) => {
    expect(await service.anonymous.get(address)).toMatchObject({ status: 404 });
  });
});

describe('PUT /api/v1/user/name', () => {
  test('changes the name and returns it', async () => {
    const anna = await signUp(service);
    const answer = await anna.put('/api/v1/user/name', { name: ' Anna $& ', email: 'other@example.com' });
    expect(answer).toMatchObject({ status: 200, body: { msg: 'Name updated sucessfully to Anna $&' } });
    expect(await read(anna)).toMatchObject({ name: 'Anna $&', email: anna.email });
  });

  test.each([[undefined], [null], [''], [' \t '], [1], [['x']], ['🦊'.repeat(256)]])('refuses %j', async (name) => {
    const anna = await signUp(service);
    expect(await anna.put('/api/v1/user/name', { name })).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_FAILED', errors: [{ path: 'name' }] },
    });
    expect(await read(anna)).toMatchObject({ name: null });
  });

  test('counts characters, not UTF-16 units', async () => {
    const anna = await signUp(service);
    expect(await anna.put('/api/v1/user/name', { name: '🦊'.repeat(255) })).toMatchObject({ status: 200 });
  });
});
