import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import sharp from 'sharp';
import { AvatarFolder } from '../../src/accounts/avatars.ts';
import { loadOf } from '../../src/kernel/keyed-limiter.ts';
import { removeStrayAvatars } from '../../src/accounts/rules.ts';
import { Client } from '../kit/client.ts';
import { Mailbox } from '../kit/mailbox.ts';
import { createTestDatabase } from '../kit/postgres.ts';
import { dataFolders, type ServiceProcess, spawnService } from '../kit/process.ts';
import { randomEmail } from '../kit/random.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp } from '../kit/users.ts';

const profile = '/api/v1/user/profile';

/** A small picture in one colour. */
const plain = (red = 0) =>
  sharp({ create: { width: 8, height: 8, channels: 3, background: { r: red, g: 0, b: 0 } } })
    .png()
    .toBuffer();

function form(image: Uint8Array) {
  const data = new FormData();
  data.set('name', 'Anna');
  data.set('image', new Blob([image as BlobPart]), 'me');
  return data;
}

const upload = (client: Client, image: Uint8Array) => client.post(profile, form(image));
const imageOf = async (client: Client) => (await client.get<{ user: { image: string } }>(profile)).body.user.image;

describe('avatars', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());

  const folder = () => path.join(service.dataDir, 'avatars');
  const files = async () => new Set(await readdir(folder()).catch(() => []));

  test('leave one file, the one that is named, when several are uploaded at once', async () => {
    const anna = await signUp(service);
    const before = await files();
    const pictures = await Promise.all(Array.from({ length: 8 }, (_, index) => plain(index)));
    const answers = await Promise.all(pictures.map((picture) => upload(anna, picture)));
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    const image = await imageOf(anna);
    expect([...(await files())].filter((name) => !before.has(name))).toEqual([path.basename(image)]);
    expect((await fetch(image)).status).toBe(200);
  });

  test('are decoded one at a time for an account, and two at a time for all', async () => {
    const avatars = new AvatarFolder(service.dataDir);
    const bytes = await plain();
    const begun: string[] = [];
    let letGo = () => {};
    const released = new Promise<void>((resolve) => (letGo = resolve));
    const uploads = ['anna', 'anna', 'ben', 'clara'].map((account) => {
      const file = new File([bytes], 'me.png');
      file.arrayBuffer = async () => {
        begun.push(account);
        await released;
        return new Uint8Array(bytes).buffer;
      };
      return avatars.add(file, account);
    });
    while (loadOf('pictures').waiting + loadOf('pictures_of_account').waiting < 2)
      await new Promise((resolve) => setImmediate(resolve));
    expect(begun).toEqual(['anna', 'ben']);
    letGo();
    expect(new Set(await Promise.all(uploads)).size).toBe(4);
    expect(begun).toEqual(['anna', 'ben', 'clara', 'anna']);
    expect(loadOf('pictures_of_account')).toEqual({ running: 0, waiting: 0 });
  });

  test('are replaced even where the old file cannot be removed', async () => {
    const anna = await signUp(service);
    await upload(anna, await plain());
    const old = path.join(folder(), path.basename(await imageOf(anna)));
    await rm(old);
    // What is a folder is not removed as a file, by root neither.
    await mkdir(old);
    expect(await upload(anna, await plain(1))).toMatchObject({ status: 200 });
    const image = await imageOf(anna);
    expect(path.basename(image)).not.toBe(path.basename(old));
    expect((await fetch(image)).status).toBe(200);
  });

  test('are removed where nobody has them, once they are old', async () => {
    const anna = await signUp(service);
    await upload(anna, await plain());
    const named = path.basename(await imageOf(anna));
    const [stray, temporary, fresh] = [`${randomUUID()}.png`, `.${randomUUID()}.jpg.tmp`, `${randomUUID()}.jpg`];
    const foreign = 'readme.txt';
    for (const name of [stray, temporary, fresh, foreign]) await writeFile(path.join(folder(), name), 'x');
    const twoHoursAgo = new Date(Date.now() - 2 * 3_600_000);
    for (const name of [named, stray, temporary, foreign]) {
      await utimes(path.join(folder(), name), twoHoursAgo, twoHoursAgo);
    }
    const before = await files();
    expect(await removeStrayAvatars(service.services.accounts.avatars)).toBe(2);
    before.delete(stray);
    before.delete(temporary);
    expect(await files()).toEqual(before);
    expect(await removeStrayAvatars(service.services.accounts.avatars)).toBe(0);
  });
});

describe('an avatar that does not fit on the disk', () => {
  const folders = dataFolders();
  let started: ServiceProcess | undefined;
  afterEach(async () => {
    started?.signal('SIGTERM');
    await started?.ended;
  });
  afterAll(() => folders.remove());

  test('leaves nothing of itself, and the old one in its place', async () => {
    const dataDir = await folders.make();
    // No file of the process can become larger than 20 KiB: the write fails in the middle, for root too.
    const limited = ['bash', '-c', `ulimit -f 20 && exec ${process.execPath} --enable-source-maps dist/src/main.js`];
    started = await spawnService({ DATA_DIR: dataDir, DATABASE_URL: await createTestDatabase() }, limited);
    const client = new Client(started.url ?? '');
    const email = randomEmail();
    await client.post('/api/v1/user/signup/send-otp', { email });
    const code = await new Mailbox(dataDir).takeCode(email);
    await client.post('/api/v1/user/signup/verify', { email, code, password: 'x' });
    expect(await upload(client, await plain())).toMatchObject({ status: 200 });
    const image = await imageOf(client);

    const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const;
    const picture = sharp({ create: { width: 512, height: 512, channels: 3, background: 'grey', noise } });
    const bytes = await picture.jpeg({ quality: 10 }).toBuffer();
    expect(bytes.length).toBeLessThan(20 * 1024);
    expect(await upload(client, bytes)).toMatchObject({ status: 503, body: { code: 'UNAVAILABLE' } });
    expect(await readdir(path.join(dataDir, 'avatars'))).toEqual([path.basename(image)]);
    expect(await imageOf(client)).toBe(image);
    expect((await fetch(image)).status).toBe(200);
  });
});
