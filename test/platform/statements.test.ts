import { beforeAll, describe, expect, test } from '@jest/globals';
import { getNamedType, type GraphQLField, isInterfaceType, isObjectType } from 'graphql';
import { routes } from '../../rest/routes.ts';
import { schema } from '../../src/schema.ts';
import { allOf, callOf, documentWith } from '../graphql/selections.ts';
import {
  addMember,
  invite,
  makeComment,
  makeProject,
  makeSection,
  makeTag,
  makeTask,
  makeWorkspace,
} from '../kit/make.ts';
import { notify } from '../activity/notify.ts';
import { connect, queryFor, registered } from '../kit/application.ts';
import { makeProgram } from '../kit/program.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { expectTableRow, statementTable } from '../kit/statement-table.ts';
import { recordStatements } from '../kit/statements.ts';
import { signUp } from '../kit/users.ts';
import { type Account, callRest, resolve } from '../rest/parity-accounts.ts';
import { inputs } from '../rest/parity-inputs.ts';
import { mustClaim } from '../claims/claims.ts';
import { changeWebhook, makeWebhook } from '../webhooks/webhooks.ts';

// The statements of each list, for one row and for several. Writes: test/rest/parity, test/graphql/fields.

const more = 3;
let service: Service;
let single: Account;
let several: Account;
beforeAll(async () => {
  service = await sharedService();
  single = await makeAccount(1);
  several = await makeAccount(more);
});

/** An account with this number of rows in each list. */
async function makeAccount(count: number): Promise<Account> {
  const [user, ben] = [await signUp(service), await signUp(service)];
  const { changes, sync, inbox } = await user.data<Record<'changes' | 'sync', { cursor: string }> & { inbox: Named }>(
    '{ changes { cursor } sync { cursor } inbox { id } }',
  );
  const names = new Map([
    ['cursor', changes.cursor],
    ['synced', sync.cursor],
  ]);
  const named = async (kind: string, number: number, thing: Named | Promise<Named>) => {
    const { id } = await thing;
    names.set(`${kind} ${number}`, id);
    return id;
  };
  const first = (kind: string) => names.get(`${kind} 1`) ?? '';
  for (let number = 1; number <= count; number += 1) {
    await named('project', number, makeProject(user, { name: `Inbox of ${number}` }));
    await makeSection(user, inbox.id);
    const section = await makeSection(user, first('project'));
    const tag = await named('tag', number, makeTag(user, { name: `green ${number}` }));
    const place = { projectId: first('project'), projectSectionId: section.id };
    const fields = { title: 'Water plants', dueDate: new Date().toISOString().slice(0, 10), tags: [tag], ...place };
    await named('task', number, makeTask(user, fields));
    await makeTask(user, { parentId: first('task') });
    await makeComment(user, first('task'), { text: 'Water?' });
    await user.patch(`/api/v2/todo/${first('task')}`, { title: `Water ${number} plants` });
    await user.delete(`/api/v2/todo/${(await makeTask(user)).id}`);
    await named('workspace', number, makeWorkspace(user));
    await addMember(user, first('workspace'), await signUp(service));
    await invite(user, first('workspace'), `guest-${number}@example.com`);
    await invite(ben, (await makeWorkspace(ben)).id, user.email);
    await makeProgram(service, user);
    await named('claim', number, { id: await mustClaim(user, (await makeTask(user)).id) });
    await connect(service, user);
    const webhook = await named('webhook', number, (await makeWebhook(user, 'https://hooks.invalid')).webhook);
    // It makes no attempts but those below.
    await changeWebhook(user, webhook, { enabled: false });
    await insertRows(user.id, number, first('task'));
    await service.sql(
      `INSERT INTO webhook_attempts (webhook_id, message_id, type, at, ms, changes) VALUES ($1, 'msg', 'ping', now(), 1, 0)`,
      [first('webhook')],
    );
    await notify(service, user, { id: names.get(`task ${number}`) ?? '' }, { actorId: ben.id });
  }
  await service.sql('UPDATE tasks SET assignee_ids = ARRAY[$1] WHERE space_id = $1', [user.id]);
  const tasks = [...names].filter(([name]) => name.startsWith('task ')).map(([, id]) => id);
  const { headers } = await user.patch(`/api/v2/todo/bulk?todoIds=${tasks.join()}`, { priority: 'high' });
  names.set('operation 1', headers.get('x-operation-id') ?? '');
  names.set('workspace', first('workspace'));
  names.set('request', queryFor(await registered(service)));
  const placeholders = [...names].map(([name, id]): [string, string] => [`<${name}>`, id]);
  return { user, inboxId: inbox.id, names: new Map(placeholders), password: user.password };
}

interface Named {
  id: string;
}

/** Rows that requests make slowly or in the background: a session, a passkey, and a reminder that was sent. */
async function insertRows(userId: string, number: number, taskId: string): Promise<void> {
  await service.sql(
    `WITH session AS (
      INSERT INTO sessions (sid, id, user_id, device, expire) VALUES ($2, $2, $1, 'node', now() + interval '1 day')
    ), passkey AS (
      INSERT INTO passkeys (id, user_id, name, credential_id, public_key, counter) VALUES ($2, $1, 'Phone', $2, 'x', 0)
    ) INSERT INTO deliveries (id, user_id, kind, occurrence, task_id, space_id, due_at, at, expires_at, next_at, status, sent_at)
    VALUES ($2, $1, 'REMINDER', $2, $3, $1, now(), now(), now(), now(), 'SENT', now())`,
    [userId, `${userId} ${number}`, taskId],
  );
}

const fields = Object.values(schema.getQueryType()?.getFields() ?? {});
const operations = routes.filter((row) => !row.raw);
const gets = operations.filter(({ method }) => method === 'get').map((row) => ({ name: `GET ${row.path}`, row }));

async function expectRow(
  name: string,
  read: (account: Account) => Promise<{ result: number | string; body: unknown }>,
): Promise<void> {
  const [few, many] = [await recordStatements(() => read(single)), await recordStatements(() => read(several))];
  expectTableRow(name, few.result.result, few.own);
  const { perWorkspace = 0 } = statementTable[name] ?? {};
  expect(many.own).toHaveLength(few.own.length + perWorkspace * (more - 1));
  const objects = ({ result: { body } }: typeof few) => JSON.stringify(body).split('{').length;
  if (hasList(many.result.body)) expect(objects(many)).toBeGreaterThan(objects(few));
}

/** Over REST, a project has no tasks. The dates of a recurrence are no rows. A personal task has one assignee. Scopes are few. */
const hasList = (body: unknown) =>
  JSON.stringify(body)
    .replace(/"(todos|upcoming|assignees|scopes)":\[.*?\]/, '')
    .includes('[');

describe('a list takes as many statements for one row as for several', () => {
  test.each(gets)('$name', ({ name, row }) =>
    expectRow(name, async (account) => {
      const request = { as: 'user' as const, path: {}, query: {}, body: {}, ...inputs[name]?.example };
      delete request.query['limit'];
      const { status, body } = await callRest(row, account.user, resolve(request, account));
      return { result: status, body };
    }),
  );

  test.each(fields.map((field) => ({ name: `Query.${field.name}`, field })))('$name', ({ name, field }) =>
    expectRow(name, async (account) => {
      const { text, variables } = documentFor(field, account);
      return { result: String(field.type), body: await account.user.data(text, variables) };
    }),
  );
});

test('each list and each write has a row', () => {
  const mutations = Object.keys(schema.getMutationType()?.getFields() ?? {});
  const names = [
    ...operations.map(({ method, path }) => `${method.toUpperCase()} ${path}`),
    ...fields.map(({ name }) => `Query.${name}`),
    ...mutations.map((name) => `Mutation.${name}`),
  ];
  expect(Object.keys(statementTable).sort()).toEqual(names.sort());
});

/** A document that reads everything of the field, and its variables. */
function documentFor(field: GraphQLField<unknown, unknown>, { names }: Account) {
  const type = getNamedType(field.type);
  const taskIds = [...names].filter(([name]) => name.startsWith('<task')).map(([, id]) => id);
  const call = callOf('Query', field).replace('[$task, $project]', JSON.stringify(taskIds));
  const selection = isInterfaceType(type) ? 'id ... on Task { title children { title } tags { name } }' : '';
  const text = documentWith(`${call} { ${isObjectType(type) ? allOf(type) : selection} }`.replace('{  }', ''));
  const variables = [...text.matchAll(/\$(\w+):/g)].map(([, name = '']) => [
    name,
    names.get(`<${name}>`) ?? names.get(`<${name} 1>`),
  ]);
  return { text, variables: Object.fromEntries(variables) as Record<string, string> };
}
