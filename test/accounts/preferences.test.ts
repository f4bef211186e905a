import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { signUp } from '../kit/users.ts';

const path = '/api/v1/user/user-preferences';
const defaults = {
  emailEnabled: true,
  reminderBefore: 30,
  taskRemainders: true,
  automaticRemainder: false,
  dailyDigest: false,
  digestTime: null,
};

let service: Service;
beforeAll(async () => {
  service = await sharedService();
});

describe(`PUT ${path}`, () => {
  test('changes the sent fields and keeps the others', async () => {
    const anna = await signUp(service);
    const answer = await anna.put(path, { reminderBefore: 0 });
    expect(answer).toMatchObject({ status: 200, body: { msg: 'successfully updated the user preferences' } });
    expect((await anna.get(path)).body).toEqual({ ...defaults, reminderBefore: 0 });
    const rest = { emailEnabled: false, taskRemainders: false, dailyDigest: true };
    await anna.put(path, { ...rest, unknown: 1 });
    expect((await anna.get(path)).body).toEqual({ ...defaults, ...rest, reminderBefore: 0 });
    await anna.put(path, { reminderBefore: 40_320 });
    expect((await anna.get(path)).body).toMatchObject({ reminderBefore: 40_320 });
  });

  test.each([
    [{}],
    [{ unknown: true }],
    [{ emailEnabled: 'true' }],
    [{ emailEnabled: 1 }],
    [{ emailEnabled: null }],
    [{ taskRemainders: 'no' }],
    [{ dailyDigest: [] }],
    [{ reminderBefore: '30' }],
    [{ reminderBefore: -1 }],
    [{ reminderBefore: 1.5 }],
    [{ reminderBefore: 40_321 }],
    [{ reminderBefore: 1e300 }],
    [{ emailEnabled: false, automaticRemainder: true }],
    [{ emailEnabled: false, digestTime: '08:00' }],
    [{ emailEnabled: false, digestTime: null }],
  ])('refuses %j and changes nothing', async (body: object) => {
    const anna = await signUp(service);
    expect(await anna.put(path, body)).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } });
    expect((await anna.get(path)).body).toEqual(defaults);
  });
});

test.each(['PUT', 'PATCH'])('an empty %s names the body', async (method) => {
  const anna = await signUp(service);
  expect(await anna.send(method, path, {})).toMatchObject({
    status: 400,
    body: { errors: [{ path: 'body', message: 'must have at least one preference' }] },
  });
});

test('preferences have the id of their user', async () => {
  const anna = await signUp(service);
  expect(await anna.data('{ viewer { preferences { id } } }')).toEqual({ viewer: { preferences: { id: anna.id } } });
  const changed = await anna.data('mutation { updatePreferences(input: { dailyDigest: true }) { id } }');
  expect(changed).toEqual({ updatePreferences: { id: anna.id } });
});

test('updatePreferences sets the time of the digest, and null clears it', async () => {
  const anna = await signUp(service);
  const set = async (digestTime: string | null) => {
    const mutation = `mutation ($input: UpdatePreferencesInput!) { updatePreferences(input: $input) { digestTime } }`;
    const { updatePreferences } = await anna.data<{ updatePreferences: object }>(mutation, { input: { digestTime } });
    return [updatePreferences, (await anna.get<{ digestTime: string | null }>(path)).body.digestTime];
  };
  expect(await set('07:30')).toEqual([{ digestTime: '07:30' }, '07:30']);
  expect(await set(null)).toEqual([{ digestTime: null }, null]);
});
