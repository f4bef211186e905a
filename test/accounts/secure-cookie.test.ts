import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomEmail } from '../kit/random.ts';
import { type Service, startService } from '../kit/service.ts';
import { requestCode } from '../kit/users.ts';

describe('behind a public https URL', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ PUBLIC_URL: 'https://tasks.example.com' });
  });
  afterAll(() => service.close());

  test('the cookie is Secure and the avatar has the public address', async () => {
    const email = randomEmail();
    const code = await requestCode(service, email);
    const client = service.client();
    const answer = await client.post('/api/v1/user/signup/verify', { email, code, password: 'x' });
    expect(answer.headers.getSetCookie()).toEqual([expect.stringMatching(/^sid=.*; Secure(;|$)/)]);

    const form = new FormData();
    form.set('name', 'Anna');
    const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    form.set('image', new Blob([Buffer.from(pixel, 'base64')]), 'pixel.png');
    expect(await client.post('/api/v1/user/profile', form)).toMatchObject({ status: 200 });
    expect(await client.get('/api/v1/user/profile')).toMatchObject({
      body: { user: { image: expect.stringMatching(/^https:\/\/tasks\.example\.com\/avatars\//) } },
    });
  });
});
