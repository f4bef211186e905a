import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Client, createClient } from 'taskgate-client';
import { randomEmail } from '../kit/random.ts';
import { type Service, startService } from '../kit/service.ts';
import { fetchAs } from './kit.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

/** A client that keeps its cookie, as a browser does, and the names of the operations that it has called. */
function watchedClient() {
  const session: { cookie?: string } = {};
  const called = new Set<string>();
  const keepCookie: typeof fetch = async (input, init) => {
    const response = await fetchAs(session)(input, init);
    const [cookie] = response.headers.getSetCookie();
    if (cookie) session.cookie = cookie.slice(0, cookie.indexOf(';'));
    return response;
  };
  const { rest } = createClient({ url: service.url, fetch: keepCookie });
  const watched = new Proxy(rest, {
    get(target, name: keyof Client['rest']) {
      called.add(name);
      return target[name];
    },
  });
  return { rest: watched, called };
}

test('rest has a method for each operation of the OpenAPI document that has an end', async () => {
  const { rest, called } = watchedClient();
  const email = randomEmail();
  const [password, newPassword] = ['correct horse battery', 'staple correct horse'];
  await rest.requestSignUpCode({ body: { email } });
  await rest.signUp({ body: { email, code: await service.mailbox.takeCode(email), password } });
  await rest.changePassword({
    body: { currentPassword: password, newPassword, confirmNewPassword: newPassword },
  });
  await rest.signOut();
  await rest.signIn({ body: { email, password: newPassword } });
  expect(await rest.checkSession()).toMatchObject({ email });
  await rest.updateName({ body: { name: 'Anna' } });
  const form = new FormData();
  form.set('name', 'Anne');
  await rest.updateProfile({ body: form });
  expect((await rest.getProfile()).user.name).toBe('Anne');
  await rest.updatePreferences({ body: { dailyDigest: true } });
  expect(await rest.getPreferences()).toMatchObject({ dailyDigest: true });

  const { project } = await rest.createProject({ body: { name: 'Garden', personal: true } });
  const params = { id: project.id };
  await rest.updateProject({ params, body: { name: 'Orchard' } });
  expect((await rest.getProject({ params })).project.name).toBe('Orchard');
  expect((await rest.listProjects()).projects).toHaveLength(2);
  expect((await rest.listPersonalProjects({ query: { search: 'orch' } })).personalProjects).toHaveLength(1);
  expect((await rest.getInbox()).inbox.isDefault).toBe(true);
  const { section } = await rest.createSection({ params, body: { name: 'Trees' } });
  await rest.updateSection({ params: { ...params, sectionId: section.id }, body: { name: 'Apple trees' } });
  expect((await rest.listSections({ params })).sections[0]?.name).toBe('Apple trees');

  const colors = ['blue', 'red'] as const;
  const made = await Promise.all(colors.map((color) => rest.createTag({ body: { name: color, color } })));
  const tagIds = made.map(({ tag }) => tag.id);
  const [first = '', second = ''] = tagIds;
  await rest.updateTag({ params: { id: first }, body: { name: 'azure' } });
  expect((await rest.listTags({ query: { ids: tagIds } })).tags).toHaveLength(2);
  expect(await rest.countTags()).toBeDefined();
  const { todo } = await rest.createTask({ body: { title: 'Prune', tags: [first], projectId: project.id } });
  const { todo: other } = await rest.createTask({ body: { title: 'Water', tags: [second] } });
  const todoIds = [todo.id, other.id];
  await rest.updateTask({ params: { id: todo.id }, body: { completed: true } });
  expect((await rest.listTasks({ query: { tagIds, completed: false } })).todos.map(({ id }) => id)).toEqual([other.id]);
  expect((await rest.searchTasks({ query: { q: 'Prune' } })).todos).toHaveLength(1);
  await rest.updateTasks({ query: { todoIds }, body: { priority: 'high' } });
  expect((await rest.listTasks()).todos.map(({ priority }) => priority)).toEqual(['high', 'high']);
  expect((await rest.listChanges()).changes).toEqual([]);
  expect((await rest.sync()).tasks).toHaveLength(2);
  expect((await rest.exportData()).todos).toHaveLength(2);

  const { todo: last } = await rest.createTask({ body: { title: 'Weed' } });
  await rest.deleteTask({ params: { id: last.id } });
  await rest.deleteTasks({ query: { todoIds } });
  expect((await rest.listTasks()).todos).toEqual([]);
  await rest.deleteTags({ query: { tagIds } });
  expect((await rest.listTags()).tags).toEqual([]);
  await rest.deleteSection({ params: { ...params, sectionId: section.id } });
  await rest.deleteProject({ params });

  const { paths } = JSON.parse(await readFile('openapi.json', 'utf8')) as {
    paths: Record<string, Record<string, { operationId: string }>>;
  };
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const names = operations.map(({ operationId }) => operationId);
  expect(names.filter((name) => !called.has(name))).toEqual(['streamChanges']);
});
