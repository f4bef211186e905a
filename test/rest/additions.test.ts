import { beforeAll, describe, expect, test } from '@jest/globals';
import { makeTag, makeTask } from '../kit/make.ts';
import { planAndSend } from '../notifications/deliveries.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { signInAgain, signUp, type User } from '../kit/users.ts';

let service: Service;
let anna: User;
beforeAll(async () => {
  service = await sharedService();
  anna = await signUp(service);
});

const notFound = { status: 404, body: { code: 'NOT_FOUND' } };
const badField = (field: string) => ({
  status: 400,
  body: { errors: [expect.objectContaining({ path: field }) as unknown] },
});

describe('GET /api/v2/todo/:id', () => {
  test('returns a task as in the list, with its tags and all subtasks', async () => {
    const tag = await makeTag(anna);
    const task = await makeTask(anna, { tags: [tag.id] });
    const child = await makeTask(anna, { parentId: task.id });
    await makeTask(anna, { parentId: child.id });
    const { body: list } = await anna.get<{ todos: { id: string }[] }>('/api/v2/todo');
    const answer = await anna.get(`/api/v2/todo/${task.id}`);
    expect(answer.body).toEqual({ todo: list.todos.find(({ id }) => id === task.id) });
    const etag = answer.headers.get('etag') ?? '';
    expect(await anna.get(`/api/v2/todo/${task.id}`, { headers: { 'If-None-Match': etag } })).toMatchObject({
      status: 304,
    });
    const ben = await signUp(service);
    for (const rest of ['', '/reminders'])
      expect(await ben.get(`/api/v2/todo/${task.id}${rest}`)).toMatchObject(notFound);
  });
});

describe('POST /api/v2/todo/:id/move', () => {
  test('moves a task next to a sibling, below another parent, and to the top level', async () => {
    const ben = await signUp(service);
    const [one, two, three] = [await makeTask(ben), await makeTask(ben), await makeTask(ben)];
    const order = async () =>
      (await ben.get<{ todos: { id: string }[] }>('/api/v2/todo')).body.todos.map(({ id }) => id);
    const move = (body: object) => ben.post(`/api/v2/todo/${three.id}/move`, body);
    const moved = await move({ before: one.id });
    expect(moved).toMatchObject({ status: 200, body: { todo: { id: three.id, parentId: null } } });
    expect(moved.body).not.toHaveProperty('todo.children');
    expect(await order()).toEqual([three.id, one.id, two.id]);
    await move({ after: one.id });
    expect(await order()).toEqual([one.id, three.id, two.id]);
    expect(await move({ parentId: one.id })).toMatchObject({ body: { todo: { parentId: one.id } } });
    expect(await move({ after: two.id })).toMatchObject(badField('after'));
    expect(await move({ parentId: null })).toMatchObject({ body: { todo: { parentId: null } } });
    expect(await move({ parentId: 'nonsense' })).toMatchObject(badField('parentId'));
    expect(await move({})).toMatchObject(badField('after'));
    expect(await move({ after: one.id, parentId: null })).toMatchObject(badField('after'));
    expect(await anna.post(`/api/v2/todo/${three.id}/move`, {})).toMatchObject(notFound);
  });
});

describe('reminders, digest and deliveries', () => {
  test('are the same as in GraphQL', async () => {
    const ben = await signUp(service);
    await ben.patch('/api/v1/user/user-preferences', { dailyDigest: true });
    const task = await makeTask(ben, { title: 'Water', priority: 'high', dueDate: '2020-01-01' });
    const { body } = await ben.get<{ digest: object }>('/api/v2/digest');
    const { digest } = await ben.data<{ digest: object }>('{ digest { at subject text html } }');
    const { id, title, priority } = task as unknown as Record<string, string>;
    const shown = { id, title, description: null, priority, dueDate: '2020-01-01', completed: false };
    const overdue = [{ ...shown, parentId: null, projectId: null }];
    expect(body).toEqual({ digest: { ...digest, overdue, today: [], upcoming: [] } });
    await ben.data('mutation { sendTestMail }');
    await service.mailbox.take(ben.email);
    await planAndSend(service);
    const { deliveries } = await ben.data<{ deliveries: object[] }>('{ deliveries { id at status reason sentAt } }');
    expect(deliveries).not.toEqual([]);
    expect((await ben.get('/api/v2/deliveries')).body).toEqual({ deliveries });
    expect((await ben.get('/api/v2/deliveries?first=0')).body).toEqual({ deliveries: [] });
    expect(await ben.get('/api/v2/deliveries?first=501')).toMatchObject(badField('first'));
    expect((await ben.get(`/api/v2/todo/${task.id}/reminders`)).body).toEqual({ reminders: [] });
  });
});

describe('PATCH /api/v1/user/user-preferences', () => {
  test('changes any preference, and returns all', async () => {
    const ben = await signUp(service);
    const change = { automaticRemainder: true, digestTime: '07:30', timeZone: 'Europe/Berlin' };
    const answer = await ben.patch('/api/v1/user/user-preferences', change);
    const others = { emailEnabled: true, reminderBefore: 30, taskRemainders: true, dailyDigest: false };
    expect(answer).toMatchObject({ status: 200, body: { ...change, ...others } });
    expect((await ben.patch('/api/v1/user/user-preferences', { digestTime: null })).body).toMatchObject({
      digestTime: null,
    });
    expect(await ben.patch('/api/v1/user/user-preferences', { timeZone: 'Nowhere' })).toMatchObject(
      badField('timeZone'),
    );
    expect(await ben.patch('/api/v1/user/user-preferences', {})).toMatchObject({ status: 400 });
  });
});

describe('/api/v1/user/sessions', () => {
  test('lists sessions, and ends one, all others, or the current one like a logout', async () => {
    const ben = await signUp(service);
    const [two, three] = [await signInAgain(service, ben), await signInAgain(service, ben)];
    const { viewer } = await ben.data<{ viewer: { sessions: { id: string; current: boolean }[] } }>(
      '{ viewer { sessions { id device createdAt lastUsedAt current } } }',
    );
    const list = await ben.get<{ sessions: { id: string }[] }>('/api/v1/user/sessions');
    expect(list.body).toEqual({ sessions: viewer.sessions });
    const { body } = await two.get<{ sessions: { id: string }[] }>('/api/v1/user/sessions');
    expect(await ben.delete(`/api/v1/user/sessions/${body.sessions[0]?.id}`)).toMatchObject({
      status: 200,
      body: { msg: 'session ended successfully' },
    });
    expect(await two.get('/api/v1/user/sessions')).toMatchObject({ status: 401 });
    expect(await ben.delete('/api/v1/user/sessions')).toMatchObject({ status: 200, body: { endedCount: 1 } });
    expect(await three.get('/api/v1/user/sessions')).toMatchObject({ status: 401 });
    expect(await anna.delete(`/api/v1/user/sessions/${viewer.sessions[0]?.id}`)).toMatchObject(notFound);
    const last = await ben.delete(`/api/v1/user/sessions/${viewer.sessions[0]?.id}`);
    expect(last.headers.get('set-cookie')).toMatch(/^sid=;/);
    expect(await ben.get('/api/v1/user/sessions')).toMatchObject({ status: 401 });
  });
});

describe('DELETE /api/v1/user', () => {
  test('deletes the account by its password, and clears the cookie', async () => {
    const ben = await signUp(service);
    expect(await ben.delete('/api/v1/user')).toMatchObject(badField('password'));
    expect(await ben.delete('/api/v1/user', { password: 'wrong' })).toMatchObject(badField('password'));
    const answer = await ben.delete('/api/v1/user', { password: ben.password });
    expect(answer).toMatchObject({ status: 200, body: { msg: 'account deleted successfully' } });
    expect(answer.headers.get('set-cookie')).toMatch(/^sid=;/);
    expect(await service.sql('SELECT FROM users WHERE id = $1', [ben.id])).toEqual([]);
  });
});
