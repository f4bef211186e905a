import { print } from 'graphql';
import sharp from 'sharp';
import { groupBy, type InputProblem, TaskgateError } from '@taskgate/base';
import { describeProblems } from '../../packages/base/errors.ts';
import { hasResource } from '../../rest/resource.ts';
import type { Route } from '../../rest/route.ts';
import { operationOn } from '../../src/door/index.ts';
import { type ErrorCode, errorCodes } from '../../src/platform/errors.ts';
import type { Client, GraphqlAnswer, RequestOptions } from '../kit/client.ts';
import { contextOf } from '../kit/context.ts';
import { executorWith } from '../kit/executor.ts';
import { addMember, invite, makeComment, makeProject, makeSection, makeTag, makeTask } from '../kit/make.ts';
import { randomEmail } from '../kit/random.ts';
import type { Service } from '../kit/service.ts';
import { requestCode, signInAgain, signUp, User } from '../kit/users.ts';
import type { ParityRequest } from './parity-inputs.ts';
import { mustClaim } from '../claims/claims.ts';
import { makeWebhook } from '../webhooks/webhooks.ts';

/** A response of either API in the form of REST. */
export interface DoorAnswer {
  status: number;
  body: unknown;
}

/** A user with named entities. Equal names mean equal entities in each account. */
export interface Account {
  user: User;
  inboxId: string;
  names: Map<string, string>;
  password: string;
}

const picture = await sharp({ create: { width: 8, height: 4, channels: 3, background: 'red' } })
  .png()
  .toBuffer();
const files: Record<string, () => File> = {
  '<picture>': () => new File([new Uint8Array(picture)], 'me.png', { type: 'image/png' }),
  '<no picture>': () => new File(['no picture'], 'me.png', { type: 'image/png' }),
};

/** Makes an account with entities of every kind, always in the same steps. */
export async function makeAccount(service: Service, stranger: Map<string, string>, api: string): Promise<Account> {
  const user = await signUp(service);
  const names = new Map(stranger);
  const { body } = await user.get<{ inbox: { id: string } }>('/api/v2/projects/inbox');
  const { body: now } = await user.get<{ cursor: string }>('/api/v2/changes');
  const [first, second] = [await makeProject(user, { name: 'Home' }), await makeProject(user, { name: 'Work' })];
  const workspace = await makeNamedWorkspace(user);
  const shared = await makeProject(user, { name: 'Shared', workspaceId: workspace });
  const sections = [
    await makeSection(user, first.id, { name: 'Soon' }),
    await makeSection(user, first.id, { name: 'Later' }),
    await makeSection(user, second.id, { name: 'Now' }),
  ];
  const tags = [
    await makeTag(user, { name: 'green', color: 'green' }),
    await makeTag(user, { name: 'Red', color: 'red' }),
  ];
  const one = await makeTask(user, { title: 'Water plants', priority: 'high', tags: tags.map(({ id }) => id) });
  const tasks = [
    one,
    await makeTask(user, { title: 'Buy water', description: 'for the plants', parentId: one.id }),
    await makeTask(user, { title: 'Plan', projectId: first.id, projectSectionId: sections[0]?.id }),
    await makeTask(user, { title: 'Plant a tree', projectId: shared.id, dueDate: '2031-02-03' }),
  ];
  await user.patch(`/api/v2/todo/${tasks[3]?.id}`, { completed: true });
  for (const text of ['Rain water?', 'Tap water']) await makeComment(user, one.id, { text });
  const given = { task: tasks, project: [first, second], section: sections, tag: tags };
  for (const [kind, things] of Object.entries(given)) {
    things.forEach(({ id }, index) => names.set(`<${kind} ${index + 1}>`, id));
  }
  sections.forEach(({ sortKey }, index) => names.set(`<key ${index + 1}>`, sortKey));
  const others = {
    api,
    inbox: body.inbox.id,
    'shared project': shared.id,
    workspace,
    email: user.email,
    EMAIL: user.email.toUpperCase(),
    often: `often-${user.email}`,
    user: user.id,
    cursor: now.cursor,
    'wrong code': 'unknown',
    'wrong reset code': 'unknown',
  };
  for (const [name, value] of Object.entries(others)) names.set(`<${name}>`, value);
  return { user, inboxId: body.inbox.id, names, password: user.password };
}

/** Makes and names the entities that the request uses up. @param serial of the request */
export async function provide(
  service: Service,
  account: Account,
  request: ParityRequest,
  serial: number,
): Promise<void> {
  const { user, names } = account;
  const requestText = JSON.stringify(request);
  const projectId = names.get('<project 1>') ?? '';
  const name = `doomed ${serial}`;
  if (requestText.includes('<doomed task>')) {
    const { id } = await makeTask(user, { title: name, projectId });
    await makeTask(user, { title: name, parentId: id });
    names.set('<doomed task>', id);
  }
  if (requestText.includes('<repeating task>')) {
    const { id } = await makeTask(user, { title: name, projectId });
    await user.put(`/api/v2/todo/${id}/recurrence`, { rule: 'FREQ=DAILY' });
    names.set('<repeating task>', id);
  }
  if (requestText.includes('<doomed project>')) names.set('<doomed project>', (await makeProject(user, { name })).id);
  if (requestText.includes('<doomed section>'))
    names.set('<doomed section>', (await makeSection(user, projectId, { name })).id);
  if (requestText.includes('<deleted task>') || requestText.includes('<deletion>')) {
    const { id } = await makeTask(user, { title: name, projectId });
    const { headers } = await user.delete(`/api/v2/todo/${id}`);
    names.set('<deleted task>', id);
    names.set('<deletion>', headers.get('x-operation-id') ?? '');
  }
  if (requestText.includes('<doomed comment>'))
    names.set('<doomed comment>', (await makeComment(user, names.get('<task 1>') ?? '', { text: name })).id);
  if (requestText.includes('<doomed tag>')) names.set('<doomed tag>', (await makeTag(user, { name })).id);
  if (/<doomed workspace>|<sent invitation>/.test(requestText)) {
    const id = await makeNamedWorkspace(user);
    names.set('<doomed workspace>', id);
    if (requestText.includes('<sent invitation>'))
      names.set('<sent invitation>', await invite(user, id, 'guest@example.com'));
  }
  if (/<open invitation>|<joined workspace>/.test(requestText)) {
    const inviter = await signUp(service);
    const id = await makeNamedWorkspace(inviter);
    if (requestText.includes('<joined workspace>')) {
      await addMember(inviter, id, user, 'ADMIN');
      names.set('<joined workspace>', id);
    } else {
      names.set('<open invitation>', await invite(inviter, id, user.email));
    }
  }
  if (requestText.includes('<doomed session>')) {
    const { id, email } = user;
    const secondSession = await signInAgain(
      service,
      new User(service, undefined, { id, email, password: account.password }),
    );
    const { viewer } = await secondSession.data<{ viewer: { sessions: { id: string }[] } }>(
      '{ viewer { sessions { id } } }',
    );
    names.set('<doomed session>', viewer.sessions[0]?.id ?? '');
  }
  if (requestText.includes('<claim 1>'))
    names.set('<claim 1>', await mustClaim(user, (await makeTask(user, { title: name, projectId })).id));
  if (requestText.includes('<webhook 1>')) {
    await service.sql('DELETE FROM webhooks WHERE user_id = $1', [user.id]);
    names.set('<webhook 1>', (await makeWebhook(user, 'https://hooks.invalid')).webhook.id);
  }
  if (requestText.includes('<new>')) names.set('<new>', randomEmail());
  if (/<asked>|<(wrong )?code>/.test(requestText)) {
    const email = randomEmail();
    const code = await requestCode(service, email);
    names.set('<asked>', email);
    names.set('<code>', code);
    names.set('<wrong code>', code === '000000' ? '000001' : '000000');
  }
  if (/<forgetful>|reset code>/.test(requestText)) {
    const { email } = await signUp(service);
    await service.anonymous.post('/api/v1/user/password/send-otp', { email });
    const code = await service.mailbox.takeCode(email);
    names.set('<forgetful>', email);
    names.set('<reset code>', code);
    names.set('<wrong reset code>', code === '000000' ? '000001' : '000000');
  }
  names.set('<password>', account.password);
}

async function makeNamedWorkspace(user: User): Promise<string> {
  const { createWorkspace } = await user.data<{ createWorkspace: { id: string } }>(
    'mutation { createWorkspace(name: "Yard") { id } }',
  );
  return createWorkspace.id;
}

export function resolve<Value>(value: Value, account: Pick<Account, 'names'>): Value {
  const replace = (part: unknown): unknown => {
    if (typeof part === 'string') {
      if (Object.hasOwn(files, part)) return files[part]?.();
      return part.replaceAll(/<[\w ]+>/g, (name) => account.names.get(name) ?? name);
    }
    if (Array.isArray(part)) return part.map(replace);
    if (typeof part !== 'object' || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([key, each]) => [key, replace(each)]));
  };
  return replace(value) as Value;
}

export async function clientFor(
  service: Service,
  { user, password }: Account,
  as: ParityRequest['as'],
): Promise<Client> {
  if (as === 'nobody') return service.client();
  if (as === 'user') return user;
  if (as === 'leaver') return signUp(service);
  const { id, email } = user;
  return signInAgain(service, new User(service, undefined, { id, email, password }));
}

export function queryOf(query: Record<string, unknown>): { text: string; read: Record<string, unknown> } {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const each of Array.isArray(value) ? value : [value]) {
      if (each !== undefined) parameters.append(name, each as string);
    }
  }
  const groupedParameters = groupBy([...parameters], ([name]) => name.replace(/\[\d*\]$/, ''));
  const read = [...groupedParameters].map(([name, entries]) => {
    const values = entries.map(([, value]) => value);
    return [name, values.length === 1 ? values[0] : values];
  });
  return {
    text: parameters.size > 0 ? `?${parameters.toString()}` : '',
    read: Object.fromEntries(read) as Record<string, unknown>,
  };
}

export async function callRest(
  row: Route,
  client: Client,
  request: ParityRequest,
  options: RequestOptions = {},
): Promise<DoorAnswer> {
  const path = row.path.replaceAll(/:(\w+)/g, (_all, name: string) => encodeURIComponent(request.path[name] ?? ''));
  const { status, body } = await client.send(
    row.method.toUpperCase(),
    `${path}${queryOf(request.query).text}`,
    row.body === 'multipart' ? formOf(request.body) : row.input.shape.body && request.body,
    options,
  );
  return { status, body };
}

function formOf(fields: Record<string, unknown>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) form.set(name, value instanceof File ? value : (value as string));
  }
  return form;
}

/** Sends the row's document over HTTP. Files follow the multipart request specification. */
export async function callGraphql<Data>(
  { document }: Pick<Route, 'document'>,
  client: Client,
  variables: Record<string, unknown>,
): Promise<GraphqlAnswer<Data>> {
  const query = print(document);
  const [name, file] = Object.entries(variables).find(([, value]) => value instanceof File) ?? [];
  if (!(file instanceof File)) return client.graphql<Data>(query, variables);
  const form = new FormData();
  form.set('operations', JSON.stringify({ query, variables: { ...variables, [name ?? '']: null } }));
  form.set('map', JSON.stringify({ file: [`variables.${name}`] }));
  form.set('file', file);
  const headers = { 'x-graphql-yoga-csrf': '1' };
  return (await client.post<GraphqlAnswer<Data>>('/graphql', form, { headers })).body;
}

/** Runs the row's operation without HTTP. Lists have one page, as over REST. */
export async function execute(service: Service, row: Route, { user }: Account, variables: Record<string, unknown>) {
  const data = await operationOn(executorWith())(row.document, variables, {
    ...(await contextOf(service, user)),
    source: { api: 'rest', transport: 'http' },
    pageSize: { default: 500, max: 500 },
  });
  return { data: JSON.parse(JSON.stringify(data)) as unknown };
}

/** Translates a GraphQL response to the expected REST response. */
export async function toRestResponse(
  row: Route,
  client: Client,
  { inboxId, user: { id } }: Account,
  { data, errors: [error] = [] }: GraphqlAnswer<unknown>,
  { path, ...input }: { path: Record<string, string>; query: unknown; body: unknown },
): Promise<DoorAnswer> {
  if (!error) {
    try {
      const body = row.reply(data as never, { id, inboxId }, { path, ...input } as never);
      return { status: row.status ?? 200, body: JSON.parse(JSON.stringify(body)) as unknown };
    } catch (refusal) {
      if (!(refusal instanceof TaskgateError)) throw refusal;
      const { code, message } = refusal;
      return { status: errorCodes[code as ErrorCode].status, body: { message, code } };
    }
  }
  const { code, errors: problems } = error.extensions as { code: ErrorCode; errors?: InputProblem[] };
  // REST checks the session before everything else.
  if (code === 'VALIDATION_FAILED' && row.auth === 'session' && !client.cookie) return noSession;
  if (code === 'VALIDATION_FAILED' && (await isMissing(row, client, path))) return missing;
  const renamedProblems = problems?.map((problem) => rename(problem, row.names));
  const message = renamedProblems ? describeProblems(renamedProblems) : error.message;
  return {
    status: errorCodes[code].status,
    body: { message, code, ...(renamedProblems && { errors: renamedProblems }) },
  };
}

const noSession: DoorAnswer = { status: 401, body: { message: 'Sign in first', code: 'UNAUTHENTICATED' } };

export const missing: DoorAnswer = { status: 404, body: { message: 'Resource not found', code: 'NOT_FOUND' } };

/** A missing resource of the path precedes other errors. */
export async function isMissing({ resource }: Route, client: Client, path: Record<string, string>): Promise<boolean> {
  if (!resource) return false;
  const run = async (document: Route['document'], variables: object) =>
    (await callGraphql({ document }, client, { ...variables })).data;
  return !(await hasResource(resource, path, run));
}

/** `input.tagIds.0` over GraphQL is `tags.0` over REST. */
function rename({ path, message }: InputProblem, names: Record<string, string> = {}): InputProblem {
  const [head = '', ...rest] = path.replace(/^input\.(recurrence\.)?/, '').split('.');
  if (head === 'input') return { path: 'body', message };
  return { path: [names[head] ?? head, ...rest].filter(Boolean).join('.') || head, message };
}
