import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Service, startService } from '../kit/service.ts';
import { signUp } from '../kit/users.ts';

const [current, formerSecret] = ['the secret of today', 'the secret of yesterday'];

let service: Service;
beforeAll(async () => {
  service = await startService({ SESSION_SECRET: `${current},${formerSecret}` });
});
afterAll(() => service.close());

const signedBy = (secret: string, id: string) => {
  const signature = createHmac('sha256', secret).update(id).digest('base64').replace(/=+$/, '');
  return `sid=${encodeURIComponent(`s:${id}.${signature}`)}`;
};

test('sessions are signed with the first secret, and stay valid while their secret is in the list', async () => {
  const anna = await signUp(service);
  expect(anna.cookie).toBe(signedBy(current, anna.sessionId));
  const statusBy = async (secret: string) =>
    (await service.client(signedBy(secret, anna.sessionId)).get('/api/v1/user/profile')).status;
  expect(await statusBy(formerSecret)).toBe(200);
  expect(await statusBy('a secret of nobody')).toBe(401);
  expect(await statusBy('')).toBe(401);
});
