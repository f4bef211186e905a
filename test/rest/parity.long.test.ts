import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { z } from 'zod';
import type { Route } from '../../rest/route.ts';
import { routes } from '../../rest/routes.ts';
import { newKey, withKey } from '../idempotency/keyed.ts';
import { lyingProvider } from '../kit/providers.ts';
import { type Service, startService } from '../kit/service.ts';
import { expectTableRow } from '../kit/statement-table.ts';
import { recordStatements, type Statement } from '../kit/statements.ts';
import {
  type Account,
  callGraphql,
  callRest,
  clientFor,
  type DoorAnswer,
  execute,
  toRestResponse,
  isMissing,
  makeAccount,
  missing,
  provide,
  queryOf,
  resolve,
} from './parity-accounts.ts';
import { createStrangerNames } from './parity-strangers.ts';
import { inputs, type Mutation, type ParityRequest, requestsOf } from './parity-inputs.ts';

const operations = routes.filter((row) => !row.raw);

const nameOf = ({ method, path }: Route) => `${method.toUpperCase()} ${path}`;

/** Lists without pages over REST. Only their operations are compared, because GraphQL clients have to page. */
const unpagedRoutes = new Set(['GET /api/v2/todo', 'GET /api/v2/todo/assigned', 'GET /api/v2/projects/:id/sections']);

/** Each run takes other inputs. Passwords are slow to hash. */
const runsOf = (name: string) => (/sign|password|logout/.test(name) ? 1 : 2);

let service: Service;
/** Equal accounts: requests go to the first over REST, and to the second over GraphQL. */
let anna: Account;
let berta: Account;
/** Serial number of requests, for equal names in both accounts. */
let serial = 0;
let provider: Awaited<ReturnType<typeof lyingProvider>>;
beforeAll(async () => {
  provider = await lyingProvider('taskgate');
  service = await startService({ OIDC_OTHER_ISSUER: provider.issuer, OIDC_OTHER_CLIENT_ID: 'taskgate' });
  const strangerNames = await createStrangerNames(service);
  anna = await makeAccount(service, strangerNames, 'a');
  berta = await makeAccount(service, strangerNames, 'b');
});
afterAll(() => Promise.all([service.close(), provider.close()]));

const partsOf = ({ path, query, body }: ParityRequest) => ({ path, query: queryOf(query).read, body });

function mutated<Parts extends { query: object; body: object }>(
  parts: Parts,
  { place, field, value }: Mutation,
): Parts {
  return { ...parts, [place]: { ...parts[place], [field]: value } };
}

/** A response with names for ids, and without times and random colours. */
function normalised({ status, body }: DoorAnswer, { names, user }: Account): DoorAnswer {
  const called = new Map([...names].map(([name, id]) => [id, name]));
  // Reads name further ids in one account, so only the new ones count.
  let newIds = [...names.keys()].filter((name) => name.startsWith('<new ')).length;
  const call = (id: string) => {
    const name = called.get(id) ?? `<new ${(newIds += 1)}>`;
    names.set(name, id);
    called.set(id, name);
    return name;
  };
  const text = JSON.stringify(body, (key, value: unknown) => {
    if (
      [
        'completedAt',
        'createdAt',
        'editedAt',
        'expiresAt',
        'joinedAt',
        'lastUsedAt',
        'at',
        'sentAt',
        'since',
        'fence',
        'failingSince',
        'deliveredAt',
        'secret',
        'messageId',
        'ms',
      ].includes(key) &&
      value !== null
    )
      return 'a moment';
    if (key === 'slug' && typeof value === 'string') return value.slice(0, -8);
    if (key === 'operationId') return 'an operation';
    if (key === 'url') return 'an address';
    if (key === 'image' && typeof value === 'string') return 'a picture';
    return value;
  });
  const sameIds = text.replaceAll(/\b(task|proj|sect|tag|user|wksp|invt|seri|cmnt|hook)_[0-9a-z]{26}\b/g, call);
  const sameAddresses = sameIds.replaceAll(user.email, '<email>').replaceAll(/user-\w+@example\.com/g, '<somebody>');
  return { status, body: JSON.parse(sameAddresses) as unknown };
}

const withoutColour = (answer: DoorAnswer) =>
  JSON.parse(JSON.stringify(answer, (key, value: unknown) => (key === 'color' ? undefined : value))) as DoorAnswer;

async function readEverything(account: Account): Promise<DoorAnswer[]> {
  const paths = [
    '/api/v1/user/profile',
    '/api/v1/user/user-preferences',
    '/api/v2/projects',
    '/api/v2/tag',
    '/api/v2/todo',
  ];
  const lists = ['<project 1>', '<project 2>'].map((name) => `/api/v2/projects/${account.names.get(name)}/sections`);
  const answers = [];
  for (const path of [...paths, ...lists]) {
    const { status, body } = await account.user.get(path);
    answers.push(withoutColour(normalised({ status, body }, account)));
  }
  return answers;
}

const callerOf = ({ inboxId, user: { id } }: Account) => ({ id, inboxId });

async function mappedAnswer(row: Route, account: Account, request: ParityRequest, given: object): Promise<DoorAnswer> {
  const client = await clientFor(service, account, request.as);
  const variables = row.variables(given as never, callerOf(account));
  if (unpagedRoutes.has(nameOf(row)) && request.as === 'user') {
    return toRestResponse(row, client, account, await execute(service, row, account, variables), given as never);
  }
  return toRestResponse(row, client, account, await callGraphql(row, client, variables), given as never);
}

async function compare(
  row: Route,
  asked: ParityRequest,
  mutation: Mutation | undefined,
  isKeyed = false,
): Promise<{ status: number; own: Statement[] }> {
  const other = row.method === 'get' ? anna : berta;
  serial++;
  for (const account of new Set([anna, other])) await provide(service, account, asked, serial);
  const [request, twinRequest] = [resolve(asked, anna), resolve(asked, other)];
  const parsedTwin = row.input.safeParse(partsOf(twinRequest));
  fc.pre(mutation === undefined || parsedTwin.success);
  const sent = mutation ? mutated(request, mutation) : request;
  const parsed = mutation ? row.input.safeParse(partsOf(mutated(twinRequest, mutation))) : parsedTwin;

  const client = await clientFor(service, anna, asked.as);
  const { result: rest, own } = await recordStatements(() =>
    callRest(row, client, sent, isKeyed ? withKey(newKey()) : {}),
  );
  if (parsed.success) {
    const mapped = await mappedAnswer(row, other, twinRequest, parsed.data);
    // A read asks one account, so both responses share its names.
    const reader = { ...anna, names: new Map(anna.names) };
    const [first, second] = row.method === 'get' ? [reader, reader] : [anna, other];
    const answers = [normalised(rest, first), normalised(mapped, second)];
    const isRandom = nameOf(row) === 'POST /api/v2/tag' && mutated(asked, mutation ?? none).body['color'] === undefined;
    const [left, right] = isRandom ? answers.map(withoutColour) : answers;
    expect({ sent: mutated(asked, mutation ?? none), ...left }).toEqual({
      sent: mutated(asked, mutation ?? none),
      ...right,
    });
    followPassword(row, sent, rest);
    return { status: rest.status, own };
  }
  if (row.auth === 'session' && asked.as === 'nobody') {
    expect(rest).toMatchObject({ status: 401, body: { code: 'UNAUTHENTICATED' } });
  } else if (await isMissing(row, client, request.path)) {
    expect(rest).toEqual(missing);
  } else {
    expect(rest).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } });
    if (mutation && parsedTwin.success) await expectRefusal(row, other, asked.as, parsedTwin.data as never, mutation);
  }
  return { status: rest.status, own };
}

const none: Mutation = { place: 'query', field: 'none', value: undefined };

/** Whether a field is a list, or a list or null. */
function takesList({ input }: Route, place: Mutation['place'], field: string): boolean {
  const part = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' }).properties?.[place];
  const schema = typeof part === 'object' ? part.properties?.[field] : undefined;
  if (typeof schema !== 'object') return false;
  return [schema, ...(schema.anyOf ?? [])].some((one) => typeof one === 'object' && one.type === 'array');
}

/** GraphQL refuses the same value, at the latest during execution. */
async function expectRefusal(
  row: Route,
  account: Account,
  as: ParityRequest['as'],
  good: Pick<ParityRequest, 'query' | 'body'>,
  mutation: Mutation,
) {
  const { place, field, value } = mutation;
  const { narrower = {}, nullKeeps = [] } = inputs[nameOf(row)] ?? {};
  if (field in narrower || (value === null && nullKeeps.includes(field))) return;
  // GraphQL coerces a value to a list (specification, 3.11), and may ignore its content then.
  if (takesList(row, place, field) && !Array.isArray(value)) return;
  const client = await clientFor(service, account, as);
  const answer = await callGraphql(row, client, row.variables(mutated(good, mutation) as never, callerOf(account)));
  expect({ field, value, code: answer.errors?.[0]?.extensions.code }).toEqual({
    field,
    value,
    code: 'VALIDATION_FAILED',
  });
}

function followPassword(row: Route, { body }: ParityRequest, { status }: DoorAnswer) {
  if (nameOf(row) !== 'PUT /api/v1/user/password' || status !== 200) return;
  for (const account of [anna, berta]) account.password = String(body['newPassword']);
}

describe('REST and GraphQL have equal responses', () => {
  test('this test has inputs for every endpoint', () => {
    expect(Object.keys(inputs).sort()).toEqual(operations.map(nameOf).sort());
  });

  test.each(operations.map((row) => ({ name: nameOf(row), row })))('$name', async ({ name, row }) => {
    const inputSamples = inputs[name];
    if (!inputSamples) throw new Error(`${name} has no inputs`);
    const example: ParityRequest = {
      as: inputSamples.as ?? 'user',
      path: {},
      query: {},
      body: {},
      ...inputSamples.example,
    };
    const { status, own } = await compare(row, example, undefined);
    expect(status).toBe(row.status ?? 200);
    if (row.method !== 'get') expectTableRow(name, status, own);
    const { request, mutation } = requestsOf(inputSamples, row.body === 'multipart');
    const property = fc.asyncProperty(
      request,
      mutation,
      fc.boolean(),
      async (...args) => void (await compare(row, ...args)),
    );
    // Shrinking would describe another state, because each run builds on earlier ones.
    await fc.assert(property, { numRuns: runsOf(name), endOnFailure: true });
    if (row.method !== 'get') expect(await readEverything(anna)).toEqual(await readEverything(berta));
  });
});
