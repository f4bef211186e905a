import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { getNamedType, type GraphQLNamedType, type GraphQLObjectType, isObjectType } from 'graphql';
import { schema } from '../../src/schema.ts';
import { invite, makeComment, makeProject, makeSection, makeTag, makeTask, makeWorkspace } from '../kit/make.ts';
import { connect, queryFor, registered } from '../kit/application.ts';
import { makeProgram } from '../kit/program.ts';
import { lyingProvider } from '../kit/providers.ts';
import { type Service, startService } from '../kit/service.ts';
import { expectTableRow } from '../kit/statement-table.ts';
import { recordStatements } from '../kit/statements.ts';
import { until } from '../kit/until.ts';
import { requestCode, signInAgain, signUp, signUpByMail, type User } from '../kit/users.ts';
import { type FieldRequest, identityAsks } from './identity-asks.ts';
import { createFixtures } from './furnish.ts';
import { allOf, documentWith, selectionOf } from './selections.ts';
import { mustClaim } from '../claims/claims.ts';
import { makeWebhook } from '../webhooks/webhooks.ts';

/** The path to each type. `*` selects all of its fields. */
const entryPoints: Record<string, string> = {
  Query: '*',
  ChangeConnection: 'changes(after: $cursor) { * }',
  EntityChange: 'operations { nodes { changes { nodes { * } } } }',
  Comment: 'search(query: "plants") { comments { * } }',
  CommentConnection: 'tasks(first: 9) { nodes { comments { * } } }',
  CommentEdge: 'tasks(first: 9) { nodes { comments { edges { * } } } }',
  EntityChangeConnection: 'operations { nodes { changes(first: 1) { * } } }',
  EntityChangeEdge: 'operations { nodes { changes { edges { * } } } }',
  FieldChange: 'operations { nodes { changes { nodes { fields { * } } } } }',
  Invitation: 'viewer { invitations { * } }',
  Member: 'workspaces { members { * } }',
  Delivery: 'deliveries { * }',
  Digest: 'digest { * }',
  Occurrence: 'tasks(filter: { repeating: true }) { nodes { recurrence { upcoming { * } } } }',
  Notification: 'notifications { nodes { * } }',
  NotificationConnection: 'notifications(first: 1) { * }',
  NotificationEdge: 'notifications { edges { * } }',
  Operation: 'operations { nodes { * } }',
  OperationConnection: 'operations(first: 2) { * }',
  OperationEdge: 'operations { edges { * } }',
  PageInfo: 'tasks(first: 1) { pageInfo { * } }',
  Passkey: 'viewer { passkeys { * } }',
  Preferences: 'viewer { preferences { * } }',
  Project: 'projects { * }',
  Recurrence: 'tasks(filter: { repeating: true }) { nodes { recurrence { * } } }',
  SearchResult: 'search(query: "plants") { * }',
  Section: 'projects { sections { * } }',
  Session: 'viewer { sessions { * } }',
  AccessToken: 'viewer { accessTokens { * } }',
  Application: 'viewer { applications { * } }',
  ApplicationRequest: 'applicationRequest(query: $request) { * }',
  SyncBatch: 'sync(after: $synced) { * }',
  Tag: 'tags { * }',
  Task: 'tasks(first: 100) { nodes { * } }',
  TaskChange: 'changes(after: $cursor) { nodes { * } }',
  TaskConnection: 'tasks(first: 2) { * }',
  TaskEdge: 'tasks { edges { * } }',
  Tombstone: 'sync(after: $synced) { deleted { * } }',
  TrashConnection: 'trash { * }',
  TrashEdge: 'trash { edges { * } }',
  TrashEntry: 'trash { nodes { * } }',
  User: 'viewer { * }',
  Membership: 'workspaces { memberships { * } }',
  Claim: 'claims { * }',
  Webhook: 'viewer { webhooks { * } }',
  WebhookAttempt: 'viewer { webhooks { attempts { * } } }',
  Workspace: 'workspaces { * }',
};

/** Payloads exist only in responses to mutations. */
const isPayload = ({ name }: GraphQLNamedType) => name.endsWith('Payload') || name === 'UndoConflict';

const rootTypes = ['Mutation', 'Subscription'];
const objectTypes = Object.values(schema.getTypeMap()).filter(
  (type): type is GraphQLObjectType =>
    isObjectType(type) && !type.name.startsWith('__') && !rootTypes.includes(type.name) && !isPayload(type),
);

const documentFor = (type: GraphQLObjectType) =>
  documentWith((entryPoints[type.name] ?? '').replace('*', () => allOf(type)));

/** The objects at the `*` of the path. */
function samplesOf(type: GraphQLObjectType, data: unknown): Record<string, unknown>[] {
  const path = [...(entryPoints[type.name] ?? '').replaceAll(/\(.*?\)/g, '').matchAll(/\w+/g)].map(([name]) => name);
  let values = [data];
  for (const name of path) values = values.map((value) => (value as Record<string, unknown>)[name]).flat();
  return values as Record<string, unknown>[];
}

const hasValue = (value: unknown) =>
  value !== null && value !== undefined && !(Array.isArray(value) && value.length === 0);

let service: Service;
let anna: User;
/** Changes what the reads of `anna` show. */
let carl: User;
let ben: User;
let knownIds: Record<string, string>;
let carlsIds: Record<string, string>;
let provider: Awaited<ReturnType<typeof lyingProvider>>;
beforeAll(async () => {
  provider = await lyingProvider('taskgate');
  service = await startService({ OIDC_LIAR_ISSUER: provider.issuer, OIDC_LIAR_CLIENT_ID: 'taskgate' });
  [anna, ben] = [await signUpByMail(service), await signUp(service)];
  carl = await signUpByMail(service);
  knownIds = await createFixtures(service, anna, ben);
  carlsIds = await createFixtures(service, carl, ben);
});
afterAll(() => Promise.all([service.close(), provider.close()]));

describe('every field of the schema can be read', () => {
  test('this test reaches every object type', () => {
    expect(Object.keys(entryPoints).sort()).toEqual(objectTypes.map(({ name }) => name).sort());
  });

  test.each(objectTypes.map((type) => ({ name: type.name, type })))('$name', async ({ name, type }) => {
    const document = documentFor(type);
    const used = Object.entries(knownIds).filter(([variable]) => document.includes(`$${variable}`));
    const { data, errors } = await anna.graphql(document, Object.fromEntries(used));
    expect(errors).toBeUndefined();
    const samples = samplesOf(type, data);
    const empty = Object.keys(type.getFields())
      .map((field): [string, string] => [field, `${name}.${field}`])
      .filter(([field]) => !samples.some((sample) => hasValue(sample[field])))
      .map(([, coordinate]) => coordinate);
    expect(empty).toEqual([]);
  });
});

describe('every mutation has a response', () => {
  const fieldRequests: [name: string, ask: () => FieldRequest | Promise<FieldRequest>][] = [
    ['createWorkspace', () => ({ as: carl, with: '(name: "Garden")' })],
    [
      'inviteToWorkspace',
      () => ({ as: carl, with: `(workspaceId: "${carlsIds['workspace']}", email: "gustav@example.com")` }),
    ],
    ['acceptInvitation', async () => ({ as: carl, with: `(id: "${await invitationOf(carl)}")` })],
    ['declineInvitation', async () => ({ as: carl, with: `(id: "${await invitationOf(carl)}")` })],
    [
      'revokeInvitation',
      async () => ({ as: carl, with: `(id: "${await invite(carl, carlsIds['workspace'] ?? '', 'eve@example.com')}")` }),
    ],
    ['updateWorkspace', () => ({ as: carl, with: `(id: "${carlsIds['workspace']}", name: "Yard")` })],
    ['deleteWorkspace', async () => ({ as: carl, with: `(id: "${(await makeWorkspace(carl)).id}")` })],
    ['leaveWorkspace', async () => ({ as: carl, with: `(id: "${(await makeWorkspace(ben, carl)).id}")` })],
    [
      'setWorkspaceRole',
      async () => ({
        as: carl,
        with: `(workspaceId: "${(await makeWorkspace(carl, ben)).id}", userId: "${ben.id}", role: VIEWER)`,
      }),
    ],
    [
      'removeWorkspaceMember',
      () => ({ as: carl, with: `(workspaceId: "${carlsIds['workspace']}", userId: "${ben.id}")` }),
    ],
    ['createProject', () => ({ as: carl, with: '(name: "Garden")' })],
    ['updateProject', () => ({ as: carl, with: `(id: "${carlsIds['project']}", viewMode: LIST)` })],
    ['deleteProject', async () => ({ as: carl, with: `(id: "${(await makeProject(carl)).id}")` })],
    ['createSection', () => ({ as: carl, with: `(projectId: "${carlsIds['project']}", name: "Soon")` })],
    ['updateSection', () => ({ as: carl, with: `(id: "${carlsIds['section']}", name: "Now")` })],
    [
      'deleteSection',
      async () => ({ as: carl, with: `(id: "${(await makeSection(carl, carlsIds['project'] ?? '')).id}")` }),
    ],
    ['createComment', () => ({ as: carl, with: `(taskId: "${carlsIds['task']}", text: "Done?")` })],
    ['updateComment', () => ({ as: carl, with: `(id: "${carlsIds['comment']}", text: "Done!")` })],
    [
      'deleteComment',
      async () => ({ as: carl, with: `(id: "${(await makeComment(carl, carlsIds['task'] ?? '')).id}")` }),
    ],
    ['createTag', () => ({ as: carl, with: '(name: "blue", color: BLUE)' })],
    ['updateTag', async () => ({ as: carl, with: `(id: "${(await makeTag(carl)).id}", color: PINK)` })],
    ['deleteTags', async () => ({ as: carl, with: `(ids: ["${(await makeTag(carl)).id}"])` })],
    ['createTask', () => ({ as: carl, with: '(input: { title: "Rake leaves" })' })],
    ['updateTask', () => ({ as: carl, with: `(id: "${carlsIds['task']}", input: { completed: true })` })],
    ['updateTasks', () => ({ as: carl, with: `(ids: ["${carlsIds['task']}"], input: { completed: false })` })],
    [
      'moveTask',
      async () => ({ as: carl, with: `(id: "${(await makeTask(carl)).id}", after: "${(await makeTask(carl)).id}")` }),
    ],
    [
      'skipOccurrence',
      async () => {
        const { id } = await makeTask(carl);
        await carl.put(`/api/v2/todo/${id}/recurrence`, { rule: 'FREQ=DAILY' });
        return { as: carl, with: `(id: "${id}")` };
      },
    ],
    ['muteTask', async () => ({ as: carl, with: `(id: "${(await makeTask(carl)).id}", muted: true)` })],
    ['readNotifications', () => ({ as: carl, with: '' })],
    ['deleteTask', async () => ({ as: carl, with: `(id: "${(await makeTask(carl)).id}")` })],
    ['deleteTasks', async () => ({ as: carl, with: `(ids: ["${(await makeTask(carl)).id}"])` })],
    [
      'undo',
      async () => {
        const { id } = await makeTask(carl);
        const { headers } = await carl.patch(`/api/v2/todo/${id}`, { title: 'one', priority: 'high' });
        await carl.patch(`/api/v2/todo/${id}`, { title: 'two' });
        return { as: carl, with: `(operationId: "${headers.get('x-operation-id')}")` };
      },
    ],
    [
      'restore',
      async () => {
        const parent = await makeTask(carl);
        const { id } = await makeTask(carl, { parentId: parent.id });
        await carl.delete(`/api/v2/todo/${id}`);
        await carl.delete(`/api/v2/todo/${parent.id}`);
        return { as: carl, with: `(ids: ["${id}"])` };
      },
    ],
    ['emptyTrash', () => ({ as: carl, with: '' })],
    ['sendTestMail', () => ({ as: carl, with: '' })],
    ['updateProfile', () => ({ as: carl, with: '(name: "Carl B.")' })],
    ['updatePreferences', () => ({ as: carl, with: '(input: { timeZone: "Europe/Berlin" })' })],
    ['requestSignUpCode', () => ({ as: service.anonymous, with: '(email: "carla@example.com")' })],
    [
      'signUp',
      async () => {
        const code = await requestCode(service, 'dora@example.com');
        return { as: service.anonymous, with: `(email: "dora@example.com", code: "${code}", password: "secret")` };
      },
    ],
    ['signIn', () => ({ as: service.anonymous, with: `(email: "${ben.email}", password: "${ben.password}")` })],
    [
      'changePassword',
      async () => {
        const user = await signUp(service);
        const input = `(currentPassword: "${user.password}", newPassword: "new", confirmNewPassword: "new")`;
        return { as: user, with: input };
      },
    ],
    ['endSession', async () => ({ as: carl, with: `(id: "${await sessionOf(await signInAgain(service, carl))}")` })],
    ['endOtherSessions', () => ({ as: carl, with: '' })],
    ['linkProvider', () => ({ as: carl, with: '(provider: "liar")' })],
    ['unlinkProvider', () => ({ as: carl, with: '(provider: "other")' })],
    ['createAccessToken', () => ({ as: carl, with: '(input: { name: "script", scopes: [READ] })' })],
    ['revokeAccessToken', async () => ({ as: carl, with: `(id: "${(await makeProgram(service, carl)).tokenId}")` })],
    ['claimTask', async () => ({ as: carl, with: `(id: "${(await makeTask(carl)).id}")` })],
    ['renewClaim', async () => ({ as: carl, with: `(fence: "${await fenceOf(carl)}")` })],
    ['releaseClaim', async () => ({ as: carl, with: `(fence: "${await fenceOf(carl)}")` })],
    [
      'allowApplication',
      async () => ({ as: carl, with: `(query: "${queryFor(await registered(service))}", scopes: [READ])` }),
    ],
    ['revokeApplication', async () => ({ as: carl, with: `(id: "${(await connect(service, carl)).tokenId}")` })],
    ['createWebhook', () => ({ as: carl, with: '(input: { url: "https://hooks.invalid" })' })],
    ['updateWebhook', async () => ({ as: carl, with: `(id: "${await hookOf(carl)}", input: { enabled: false })` })],
    ['rotateWebhookSecret', async () => ({ as: carl, with: `(id: "${await hookOf(carl)}")` })],
    ['testWebhook', async () => ({ as: carl, with: `(id: "${await hookOf(carl)}")` })],
    ['deleteWebhook', async () => ({ as: carl, with: `(id: "${await hookOf(carl)}")` })],
    ...identityAsks(() => service),
    ['signOut', async () => ({ as: await signUp(service), with: '' })],
  ];
  const fields = schema.getMutationType()?.getFields() ?? {};
  const sessionOf = async (user: User) => {
    const { viewer } = await user.data<{ viewer: { sessions: { id: string }[] } }>('{ viewer { sessions { id } } }');
    return viewer.sessions[0]?.id;
  };
  const fenceOf = async (user: User) => mustClaim(user, (await makeTask(user)).id);
  const hookOf = async (user: User) => (await makeWebhook(user, 'https://hooks.invalid')).webhook.id;
  const invitationOf = async (user: User) => invite(ben, (await makeWorkspace(ben)).id, user.email);

  test('and is called in this test', () => {
    expect(fieldRequests.map(([name]) => name).sort()).toEqual(Object.keys(fields).sort());
  });

  test.each(fieldRequests)('%s', async (name, createRequest) => {
    const { as: client, with: values } = await createRequest();
    const field = fields[name];
    const type = field && getNamedType(field.type);
    const selection = isObjectType(type) && isPayload(type) ? `{ ${allOf(type)} }` : type ? selectionOf(type) : '';
    const { result: answer, own } = await recordStatements(() =>
      client.graphql<Record<string, unknown>>(`mutation { ${name}${values} ${selection} }`),
    );
    expect(answer.errors).toBeUndefined();
    expect(hasValue(answer.data?.[name])).toBe(true);
    expectTableRow(`Mutation.${name}`, String(field?.type), own);
    if (type && isPayload(type)) expect(Object.values(answer.data?.[name] ?? {}).every(hasValue)).toBe(true);
  });
});

test('every subscription has a response', async () => {
  const subscriptions = Object.values(schema.getSubscriptionType()?.getFields() ?? {});
  const events: Record<string, object> = {
    sync: { full: false, mutations: ['once'] },
    taskChanges: { kind: 'CREATED', cursor: expect.any(String) },
  };
  expect(subscriptions.map(({ name }) => name)).toEqual(Object.keys(events));
  for (const field of subscriptions) {
    const query = `subscription($after: String) { ${field.name}(after: $after) ${selectionOf(getNamedType(field.type))} }`;
    const stop = new AbortController();
    const { body } = await fetch(`${service.url}/graphql`, {
      method: 'POST',
      headers: {
        Accept: 'text/event-stream',
        'Content-Type': 'application/json',
        Cookie: anna.cookie ?? '',
        'x-graphql-yoga-csrf': '1',
      },
      body: JSON.stringify({ query, variables: { after: knownIds[field.name === 'sync' ? 'synced' : 'cursor'] } }),
      signal: stop.signal,
    });
    let text = '';
    for await (const bytes of body ?? []) {
      text += Buffer.from(bytes).toString();
      if (/^data: \{.*\}$/m.test(text)) break;
    }
    stop.abort();
    // Its reads are not to be counted for a mutation.
    await until('the stream ends', () => service.services.subscriptions.usageOf(anna.id).subscriptions === 0);
    const [, first = '{}'] = /^data: (\{.*\})$/m.exec(text) ?? [];
    expect(JSON.parse(first)).toMatchObject({ data: { [field.name]: events[field.name] } });
  }
});
