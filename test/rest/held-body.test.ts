import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Route } from '../../rest/route.ts';
import { routes } from '../../rest/routes.ts';
import { HeldRequest } from '../kit/held-request.ts';
import { makeProject, makeTask, makeWorkspace } from '../kit/make.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { recordStatements } from '../kit/statements.ts';
import { signUp, type User } from '../kit/users.ts';

const signedOut = { status: 401, body: { code: 'UNAUTHENTICATED' } };
const boundary = 'held-back';
const formType = { 'Content-Type': `multipart/form-data; boundary=${boundary}` };
const csrf = { 'x-graphql-yoga-csrf': '1' };

const field = (name: string, value: string) =>
  `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
const formEnd = `--${boundary}--\r\n`;

let service: Service;
beforeAll(async () => {
  service = await sharedService();
});

const protectedRows = routes
  .filter((row) => !row.raw)
  .filter((row) => row.input.shape.body && row.auth === 'session')
  .map((row): [string, Route] => [`${row.method.toUpperCase()} ${row.path}`, row]);

async function afterSignOut(
  user: User,
  [method, path]: [method: string, path: string],
  { beginning, rest, headers = {} }: { beginning: string; rest: string; headers?: Record<string, string> },
) {
  const heldRequest = await HeldRequest.open(service, user, method, path, { firstPart: beginning, headers });
  await service.client(user.cookie).post('/api/v1/user/logout');
  return recordStatements(() => heldRequest.finish(rest));
}

describe('a session that ends while the body arrives', () => {
  test.each(protectedRows)('makes %s do nothing', async (_name, row) => {
    const anna = await signUp(service);
    const path = row.path.replaceAll(/:\w+/g, 'nothing');
    const body =
      row.body === 'multipart'
        ? { beginning: field('name', 'late').slice(0, 20), rest: `${field('name', 'late').slice(20)}${formEnd}` }
        : { beginning: '{"title":', rest: '"late"}' };
    const headers = row.body === 'multipart' ? formType : {};
    const { result, own } = await afterSignOut(anna, [row.method.toUpperCase(), path], { ...body, headers });
    expect(result).toMatchObject(signedOut);
    expect(own).toEqual([]);
  });

  test('makes a GraphQL mutation do nothing, as JSON and as a form', async () => {
    const query = 'mutation { updateProfile(name: "late") { id } }';
    const text = JSON.stringify({ query });
    const form = `${field('operations', text)}${field('map', '{}')}${formEnd}`;
    for (const [whole, headers] of [
      [text, csrf],
      [form, { ...csrf, ...formType }],
    ] as const) {
      const anna = await signUp(service);
      const parts = { beginning: whole.slice(0, 10), rest: whole.slice(10), headers };
      const { result } = await afterSignOut(anna, ['POST', '/graphql'], parts);
      expect(result.body).toMatchObject({ errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] });
      expect(await service.sql('SELECT name FROM users WHERE id = $1', [anna.id])).toEqual([{ name: null }]);
    }
  });
});

describe('a membership that ends while the body arrives', () => {
  test.each(['REST', 'GraphQL'])('permits nothing any more, over %s', async (transport) => {
    const [anna, ben] = [await signUp(service), await signUp(service)];
    const workspace = await makeWorkspace(anna, ben);
    const { id: projectId } = await makeProject(anna, { workspaceId: workspace.id });
    const task = await makeTask(anna, { projectId, title: 'theirs' });
    const [path, method, whole] =
      transport === 'REST'
        ? [`/api/v2/todo/${task.id}`, 'PATCH', '{"title":"late"}']
        : [
            '/graphql',
            'POST',
            JSON.stringify({ query: `mutation { updateTask(id: "${task.id}", input: {title: "late"}) { id } }` }),
          ];
    const heldRequest = await HeldRequest.open(service, ben, method, path, {
      firstPart: whole.slice(0, 5),
      headers: csrf,
    });
    await service.sql('DELETE FROM memberships WHERE space_id = $1 AND user_id = $2', [workspace.id, ben.id]);
    expect(JSON.stringify((await heldRequest.finish(whole.slice(5))).body)).toContain('NOT_FOUND');
    expect(await service.sql('SELECT title FROM tasks WHERE id = $1', [task.id])).toEqual([{ title: 'theirs' }]);
  });
});

describe('the session of a request', () => {
  test('is read once if its body came at once, and again after a wait for the body', async () => {
    const anna = await signUp(service);
    const sessionsIn = async (work: () => Promise<unknown>) =>
      (await recordStatements(work)).statements.filter(({ purpose }) => purpose === 'session').length;
    expect(await sessionsIn(() => anna.post('/api/v2/todo', { title: 'x' }))).toBe(1);
    expect(await sessionsIn(() => anna.graphql('mutation { updateProfile(name: "x") { id } }'))).toBe(1);
    expect(
      await sessionsIn(() => anna.patch('/api/v2/todo/bulk', { ids: Array(300).fill('task_none'), completed: true })),
    ).toBe(1);
    expect(
      await sessionsIn(async () => {
        const heldRequest = await HeldRequest.open(service, anna, 'POST', '/api/v2/todo', { firstPart: '{' });
        expect(await heldRequest.finish('"title":"y"}')).toMatchObject({ status: 201 });
      }),
    ).toBe(2);
  });
});
