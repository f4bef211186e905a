import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { events } from '../../src/activity/events.ts';
import { lockSpaces } from '../kit/locks.ts';
import { makeProject, makeTask, makeWorkspace } from '../kit/make.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { signUp, type User } from '../kit/users.ts';
import { entriesOf, notify, unreadOf } from './notify.ts';

let service: Service;
let anna: User;
let ben: User;
let workspaceId: string;
let projectId: string;
beforeAll(async () => {
  service = await sharedService();
});
beforeEach(async () => {
  [anna, ben] = [await signUp(service), await signUp(service)];
  workspaceId = (await makeWorkspace(anna, ben)).id;
  projectId = (await makeProject(anna, { workspaceId })).id;
});

const makeShared = () => makeTask(anna, { projectId });
const read = async (user: User, args = '') =>
  (await user.data<{ readNotifications: number }>(`mutation { readNotifications${args} }`)).readNotifications;

const assign = (task: { id: string }) => anna.put(`/api/v2/todo/${task.id}/assignees/${ben.id}`);
const comment = (task: { id: string }, text: string) => anna.post(`/api/v2/todo/${task.id}/comments`, { text });

const causes: Record<keyof typeof events, (task: { id: string }) => Promise<unknown>> = {
  MENTIONED: (task) => comment(task, `@${ben.id}`),
  ASSIGNED: assign,
  COMMENTED: (task) => comment(task, 'Done'),
};

test.each(Object.entries(events))('on a muted task, %s passes as its table says', async (reason, { passesMute }) => {
  const task = await makeTask(ben, { projectId });
  await ben.data(`mutation { muteTask(id: "${task.id}", muted: true) { muted } }`);
  await causes[reason as keyof typeof events](task);
  expect(await entriesOf(ben)).toMatchObject(passesMute ? [{ reasons: [reason] }] : []);
});

describe('fresh answers', () => {
  const etagOf = async (user: User, path: string) => (await user.get(path)).headers.get('etag');

  test.each(['/api/v2/notifications', '/api/v1/user/profile'])(
    'the state of GET %s changes with events',
    async (path) => {
      const task = await makeShared();
      const etags = [await etagOf(ben, path)];
      await notify(service, ben, task);
      etags.push(await etagOf(ben, path));
      await read(ben);
      etags.push(await etagOf(ben, path));
      await ben.put(`/api/v2/todo/${task.id}/muted`, { muted: true });
      etags.push(await etagOf(ben, path));
      expect(new Set(etags).size).toBe(4);
      expect(await etagOf(ben, path)).toBe(etags.at(-1));
    },
  );

  test('the user comes in a batch, without a change of another member', async () => {
    const task = await makeShared();
    const batch = async (user: User, after?: string) =>
      (
        await user.data<{
          sync: { cursor: string; user: { unreadNotifications: number } | null; workspaces: object[] };
        }>('query ($after: String) { sync(after: $after) { cursor user { unreadNotifications } workspaces { id } } }', {
          after,
        })
      ).sync;
    const [ofAnna, ofBen] = [await batch(anna), await batch(ben)];
    expect(ofBen.user).toEqual({ unreadNotifications: 0 });
    await notify(service, ben, task, { actorId: anna.id });
    const next = await batch(ben, ofBen.cursor);
    expect(next).toMatchObject({ user: { unreadNotifications: 1 }, workspaces: [] });
    expect(await batch(anna, ofAnna.cursor)).toMatchObject({ user: null, workspaces: [] });
    expect(await batch(ben, next.cursor)).toMatchObject({ user: null });
  });

  test('an event waits for no lock of the personal space', async () => {
    const task = await makeShared();
    const holder = await lockSpaces(service, ben.id);
    await assign(task);
    await holder.release();
    expect(await unreadOf(ben)).toBe(1);
  });
});

test('a deleted account leaves no trace in events', async () => {
  const task = await makeShared();
  await notify(service, ben, task);
  await notify(service, anna, task, { actorId: ben.id });
  const etag = (await anna.get('/api/v2/notifications')).headers.get('etag');
  await ben.delete('/api/v1/user', { password: ben.password });
  const answer = await anna.get('/api/v2/notifications', { headers: { 'If-None-Match': etag ?? '' } });
  expect(answer).toMatchObject({ status: 200, body: { notifications: [{ actor: null }] } });
  const rows = await service.sql('SELECT FROM notification_events WHERE user_id = $1 OR actor_id = $1', [ben.id]);
  expect(rows).toEqual([]);
});

test('the table of events equals the function of the database', async () => {
  const rows = await service.sql<{ name: string; mails: string[] }>(
    `SELECT reason::text AS name, array_agg(mails::text ORDER BY mails) AS mails
     FROM unnest(enum_range(NULL::"NotificationReason")) AS reason, unnest(enum_range(NULL::"ActivityMails")) AS mails
     WHERE is_mailed(reason, mails) GROUP BY reason ORDER BY reason`,
  );
  expect(rows.map(({ name, mails }) => [name, mails])).toEqual(
    Object.entries(events).map(([reason, { mails }]) => [reason, mails]),
  );
});
