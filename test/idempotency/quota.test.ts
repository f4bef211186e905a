import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { fixedPolicies, freeStoredKib } from '../../src/platform/rate-limit-policies.ts';
import { makeTask } from '../kit/make.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp } from '../kit/users.ts';
import { isReplayed, mutate, newKey, titlesOf, withKey } from './keyed.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({ RATE_LIMITS: 'on' });
});
afterAll(() => service.close());

test('large responses are stored up to the quota of the account, ordinary ones without a limit', async () => {
  const anna = await signUp(service);
  const { id } = await makeTask(anna, { title: 'Before', description: 'x'.repeat(10_000) });
  const aliases = Array.from({ length: 10 }, (_, index) => `d${index}: description`).join(' ');
  const rename = (title: string, key: string) =>
    mutate(anna, `mutation { updateTask(id: "${id}", input: { title: "${title}" }) { ${aliases} } }`, { key });
  const kib = 98 - freeStoredKib;
  service.services.storedResponses.take(anna.id, fixedPolicies.storedResponses.quota - kib);

  const first = newKey();
  expect((await rename('Kept', first)).body.errors).toBeUndefined();
  expect((await rename('Refused', newKey())).body).toMatchObject({
    errors: [{ extensions: { code: 'RATE_LIMITED' } }],
  });
  expect(await titlesOf(service, anna)).toEqual(['Kept']);
  expect(isReplayed(await rename('Kept', first))).toBe(true);
  expect(
    await anna.patch(`/api/v2/todo/${id}`, { completed: true, description: null }, withKey(newKey())),
  ).toMatchObject({
    status: 200,
  });
});
