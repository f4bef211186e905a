import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { makeTask, makeWorkspace } from '../kit/make.ts';
import { Restorable } from '../kit/restorable.ts';
import type { Service } from '../kit/service.ts';
import { signUp, type User } from '../kit/users.ts';

let restorable: Restorable;
let service: Service;
beforeAll(async () => {
  restorable = await Restorable.start();
  service = restorable.service;
});
afterAll(() => restorable.close());

const titles = '{ tasks { nodes { title } } }';
const names = '{ workspaces { members { name } } }';
const rename = (user: User, name: string) =>
  user.data('mutation ($name: String!) { updateProfile(name: $name) { id } }', { name });

test('a response of a history that a restore has removed is not reused for the same revisions', async () => {
  const [anna, ben] = [await signUp(service), await signUp(service)];
  await makeWorkspace(anna, ben);
  const restore = await restorable.backUp();
  const read = async (headers: Record<string, string> = {}) => ({
    tasks: await anna.get('/api/v2/todo', { headers }),
    titles: await anna.data(titles),
    names: await anna.data(names),
  });
  await makeTask(anna, { title: 'lost' });
  await rename(ben, 'Lost');
  const lostResponse = await read();
  const headers = { 'If-None-Match': lostResponse.tasks.headers.get('etag') ?? '' };
  expect(await read(headers)).toMatchObject({ tasks: { status: 304 } });
  await restore();
  await makeTask(anna, { title: 'found' });
  await rename(ben, 'Found');
  expect(await read(headers)).toMatchObject({
    tasks: { status: 200, body: { todos: [{ title: 'found' }] } },
    titles: { tasks: { nodes: [{ title: 'found' }] } },
    names: { workspaces: [{ members: expect.arrayContaining([expect.objectContaining({ name: 'Found' })]) }] },
  });
});
