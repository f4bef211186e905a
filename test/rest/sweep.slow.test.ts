import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import type { Route } from '../../rest/route.ts';
import { routes } from '../../rest/routes.ts';
import { errorCodes } from '../../src/platform/errors.ts';
import type { Answer } from '../kit/client.ts';
import { invite, makeComment, makeProject, makeSection, makeTag, makeTask, makeWorkspace } from '../kit/make.ts';
import { lyingProvider } from '../kit/providers.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp, type User } from '../kit/users.ts';
import { makeWebhook, webhooksOf } from '../webhooks/webhooks.ts';

const codes = Object.keys(errorCodes);

let service: Service;
let anna: User;
let provider: Awaited<ReturnType<typeof lyingProvider>>;
beforeAll(async () => {
  provider = await lyingProvider('taskgate');
  service = await startService({ OIDC_OTHER_ISSUER: provider.issuer, OIDC_OTHER_CLIENT_ID: 'taskgate' });
  anna = await signUp(service);
});
afterAll(() => Promise.all([service.close(), provider.close()]));

async function pathOf({ path }: Route): Promise<string> {
  if (!path.includes(':')) return path;
  if (path.startsWith('/api/v2/todo')) return path.replace(':id', (await makeTask(anna)).id);
  if (path.startsWith('/api/v2/tag')) return path.replace(':id', (await makeTag(anna)).id);
  if (path.startsWith('/api/v1/user/sessions')) return path.replace(':id', 'sess_01h2xcejqtf2nbrexx3vqjhp41');
  if (path.startsWith('/api/v1/auth')) return path.replace(':provider', 'other');
  if (path.startsWith('/api/v2/operations')) {
    const { headers } = await anna.post('/api/v2/todo', { title: 'x' });
    return path.replace(':id', headers.get('x-operation-id') ?? '');
  }
  if (path.startsWith('/api/v2/comments/:')) {
    return path.replace(':id', (await makeComment(anna, (await makeTask(anna)).id)).id);
  }
  if (path.startsWith('/api/v2/webhooks')) {
    // An account has up to 20.
    const [webhook] = await webhooksOf(anna);
    return path.replace(':id', webhook?.id ?? (await makeWebhook(anna, 'https://hooks.invalid')).webhook.id);
  }
  if (path.startsWith('/api/v2/invitations')) return path.replace(':id', 'invt_01h2xcejqtf2nbrexx3vqjhp41');
  if (path.startsWith('/api/v2/workspaces')) {
    const { id: workspaceId } = await makeWorkspace(anna);
    return path
      .replace(':id', workspaceId)
      .replace(':userId', anna.id)
      .replace(
        ':invitationId',
        path.includes(':invitationId') ? await invite(anna, workspaceId, 'guest@example.com') : '',
      );
  }
  const { id } = await makeProject(anna);
  return path
    .replace(':id', id)
    .replace(':sectionId', path.includes(':sectionId') ? (await makeSection(anna, id)).id : '');
}

const send = (row: Route, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  anna.send(row.method.toUpperCase(), path, body, { headers });

/** A documented error: a known status and a JSON body without internals. */
function expectError({ status, body, headers }: Answer<unknown>, ...statuses: number[]) {
  expect(statuses).toContain(status);
  expect(headers.get('content-type')).toMatch(/^application\/json/);
  expect(body).toMatchObject({ message: expect.any(String) });
  expect(codes).toContain((body as { code: string }).code);
  expect(JSON.stringify(body)).not.toMatch(/prisma|postgres|select |node_modules|at .*\.[jt]s:/i);
}

/** Valid values of fields that a row checks first. */
const plainBody = {
  ...{ email: 'nobody@example.com', code: '000000', password: 'x', newPassword: 'x', confirmNewPassword: 'x' },
  ...{ name: 'x', title: 'x', personal: true },
};

/** Long texts. PostgreSQL cannot compress the last ones to fit into an index. */
const longValues = [
  'x'.repeat(300),
  'x'.repeat(1_000_000),
  '🦊'.repeat(16_384),
  `${'a.'.repeat(200_000)}@${'b.'.repeat(200_000)}c`,
  ...[255, 500, 16_384, 1_000_000].map((length) =>
    randomBytes(length / 2 + 1)
      .toString('hex')
      .slice(0, length),
  ),
];

const namedRoutes = routes
  .filter((row) => !row.raw)
  .map((row): [string, Route] => [`${row.method.toUpperCase()} ${row.path}`, row]);
const withBody = namedRoutes.filter(([, row]) => row.input.shape.body && !row.body);
const withParameters = namedRoutes.filter(([, row]) => row.path.includes(':'));
const protectedRows = namedRoutes.filter(([, row]) => row.auth === 'session');

describe.each(withBody)('%s', (_name, row) => {
  test('refuses bodies that are not a JSON object', async () => {
    const path = await pathOf(row);
    const bodies = ['{', '', 'nonsense', '[]', '[{}]', '"text"', '7', 'true', 'null', '{"a":1}{"b":2}', '\u0000'];
    for (const body of bodies) {
      const answer = await send(row, path, body);
      // An empty body is an empty object, which a PATCH may accept.
      if (body === '' && answer.status < 400) continue;
      expectError(answer, 400);
    }
  });

  test('refuses other content types, other encodings and too large bodies', async () => {
    const path = await pathOf(row);
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'x']) {
      expectError(await send(row, path, '{"name":"x"}', { 'Content-Type': type }), 400);
    }
    expectError(await send(row, path, Buffer.from('{"name":"ü"}', 'latin1')), 400);
    expectError(await send(row, path, '{"name":"x"}', { 'Content-Encoding': 'gzip' }), 400);
    expectError(await send(row, path, '{"name":"x"}', { 'Content-Encoding': 'nonsense' }), 400);
    expectError(await send(row, path, `{"name":"${'x'.repeat(10 * 1024 * 1024)}"}`), 400);
  });

  test('refuses NUL characters, lone surrogates and values of another type in every field', async () => {
    const path = await pathOf(row);
    const fields = fieldsOf(row);
    expect(fields).not.toEqual([]);
    for (const field of fields) {
      for (const value of ['a\\u0000b', '\\ud800', '\\udfff\\ud800']) {
        expectError(await send(row, path, `{"${field}":"${value}"}`), 400);
      }
      for (const value of ['[[]]', '[{}]', '1e400', ...(objectFields.has(field) ? [] : objects)]) {
        expectError(await send(row, path, `{"${field}":${value}}`), 400);
      }
    }
  });

  test('accepts or refuses very long values in every field', async () => {
    const path = await pathOf(row);
    for (const field of fieldsOf(row)) {
      for (const value of longValues) {
        const answer = await send(row, path, { ...plainBody, [field]: value });
        // Sign-ins are limited after some failures.
        if (answer.status >= 400) expectError(answer, 400, 404, ...(path.endsWith('/signin') ? [429] : []));
      }
    }
  });

  test('refuses NUL characters and lone surrogates in unknown fields', async () => {
    const path = await pathOf(row);
    for (const body of ['{"x":"\\u0000"}', '{"x":[{"y":"\\ud800"}]}', '{"\\u0000":1}', '{"x":{"\\udfff":{}}}']) {
      expectError(await send(row, path, body), 400);
    }
  });

  test('bounds lists and the number of named problems', async () => {
    const path = await pathOf(row);
    for (const field of [...fieldsOf(row), 'unknown']) {
      for (const length of [500_000, 10_000]) {
        const answer = await send(row, path, `{"${field}":[${'5,'.repeat(length - 1)}5]}`);
        if (field === 'unknown' && length === 10_000 && answer.status < 400) continue;
        expectError(answer, 400);
        expect((answer.body as { errors: unknown[] }).errors.length).toBeLessThanOrEqual(20);
      }
    }
  });

  test('is safe from a prototype in the body', async () => {
    const path = await pathOf(row);
    for (const body of ['{"__proto__":{"title":"x","polluted":1}}', '{"constructor":{"prototype":{"polluted":1}}}']) {
      const answer = await send(row, path, body);
      if (answer.status >= 400) expectError(answer, 400);
      expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    }
  });
});

const objects = ['{}', '{"__proto__":{"x":1}}'];
/** Fields of objects without required fields. */
const objectFields = new Set(['filter']);

function fieldsOf({ input }: Route): string[] {
  const find = (shape: unknown): string[] => {
    const { def } = shape as {
      def: { shape?: object; innerType?: unknown; in?: unknown; left?: unknown; right?: unknown };
    };
    if (def.shape) return Object.keys(def.shape);
    return [def.innerType, def.in, def.left, def.right].filter(Boolean).flatMap(find);
  };
  return find(input.shape.body);
}

describe.each(withParameters)('%s', (_name, row) => {
  // Fences are numbers, not ids.
  const strange = row.path.includes(':fence') ? 400 : 404;
  const strangeSegments = ['%F0%9F%A6%8A', 'x'.repeat(3000), "'%20OR%201=1--", '__proto__', '-1'];

  test('responds with 404 to malformed ids, ids of another kind and ids of others', async () => {
    const ben = await signUp(service);
    const strangerIds = [(await makeTask(ben)).id, (await makeProject(ben)).id, (await makeTag(ben)).id];
    for (const id of [
      ...strangeSegments,
      ...strangerIds,
      anna.id,
      `task_${'0'.repeat(26)}`,
      `proj_${'7'.repeat(26)}`,
    ]) {
      expectError(await send(row, row.path.replaceAll(/:\w+/g, id), row.method === 'get' ? undefined : {}), strange);
    }
  });

  test('responds with 400 to invalid text or a malformed escape, and with 401 or 404 before 400', async () => {
    for (const id of ['%00', 'a%00b', '%zz', '%', '%ED%A0%80', '%FF']) {
      const path = row.path.replaceAll(/:\w+/g, id);
      expectError(await send(row, path), 400);
      if (row.auth === 'session') expectError(await service.anonymous.send(row.method.toUpperCase(), path), 401);
    }
    // Unknown providers, and idempotency keys as operation ids, are found after the other checks.
    if (/^\/api\/(v1\/auth|v2\/operations)/.test(row.path)) return;
    expectError(await send(row, row.path.replaceAll(/:\w+/g, 'none'), row.method === 'get' ? undefined : '{'), strange);
  });
});

describe.each(namedRoutes)('%s', (_name, row) => {
  test('responds to strange queries without a fault', async () => {
    const knownParameters = Object.keys(
      row.input.shape.query ? ((row.input.shape.query as { shape?: object }).shape ?? {}) : {},
    );
    const queries = [
      '?%00=%00',
      '?=',
      '?a=1&a=2',
      '?__proto__=1&__proto__[x]=1',
      '?constructor[prototype][x]=1',
      '?%zz=%zz',
    ];
    for (const name of knownParameters) {
      queries.push(`?${name}=1&${name}=2`, `?${name}=%00`, `?${name}[]=%00`, `?${name}[x]=1`, `?${name}=%ED%A0%80`);
    }
    for (const query of queries) {
      if (row.path.endsWith('/logout')) continue;
      const isText = !/%00|%ED/.test(query);
      const answer = await send(row, `${await pathOf(row)}${query}`);
      // Some ids name nothing, and a workspace keeps its last member.
      if (answer.status >= 400 || !isText) expectError(answer, 400, 403, 404);
      expect([200, 201, 400, 403, 404]).toContain(answer.status);
    }
  });

  test('bounds the parameters of a query', async () => {
    if (row.path.endsWith('/logout')) return;
    const parameters = Array.from({ length: 20_000 }, (_, index) => `n${index}`).join('&');
    expectError(await send(row, `${await pathOf(row)}?${parameters}`), 400);
  });
});

describe.each(protectedRows)('%s without a session', (_name, row) => {
  test('responds with 401 before anything else', async () => {
    const path = row.path.replaceAll(/:\w+/g, 'none');
    const method = row.method.toUpperCase();
    const requests = method === 'GET' ? [undefined] : [undefined, '{', {}, 'x'.repeat(2 * 1024 * 1024)];
    for (const body of requests) expectError(await service.anonymous.send(method, path, body), 401);
    const forgedSession = service.client('sid=s%3Aforged.signature');
    expectError(await forgedSession.send(method, path), 401);
  });
});
