import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Client } from 'taskgate-client';
import type { restOperations } from '../../client/src/operations.ts';

/** A function per REST operation with one response: `client.rest`, or a generated client. */
export type RestCalls = Pick<Client['rest'], keyof typeof restOperations>;

/** An image of one pixel. */
const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** Calls every operation and reads all written values again. */
export async function tourRest(
  rest: RestCalls,
  email: string,
  takeCode: (address: string) => Promise<string>,
): Promise<void> {
  const [forgottenPassword, password, newPassword] = [
    'battery staple',
    'correct horse battery',
    'staple correct horse',
  ];
  const guest = `guest-${email}`;
  await rest.requestSignUpCode({ body: { email: guest } });
  await rest.signUp({ body: { email: guest, code: await takeCode(guest), password: newPassword } });
  await rest.signOut();
  await rest.requestSignUpCode({ body: { email } });
  await rest.signUp({ body: { email, code: await takeCode(email), password: forgottenPassword } });
  await rest.requestPasswordReset({ body: { email } });
  await rest.resetPassword({ body: { email, code: await takeCode(email), password } });
  await rest.signIn({ body: { email, password } });
  await rest.changePassword({
    body: { currentPassword: password, newPassword, confirmNewPassword: newPassword },
  });
  await rest.signOut();
  await rest.signIn({ body: { email, password: newPassword } });
  const session = await rest.checkSession();
  assert.equal(session.isAuthenticated && session.email, email);
  await rest.updateName({ body: { name: 'Anna' } });
  const form = new FormData();
  form.set('name', 'Anne');
  form.set('image', new Blob([picture], { type: 'image/png' }), 'me.png');
  await rest.updateProfile({ body: form });
  const { user } = await rest.getProfile();
  assert.equal(user.name, 'Anne');
  assert.notEqual(user.image, null);
  assert.deepEqual((await rest.listProviders()).providers, []);
  await assert.rejects(rest.linkProvider({ params: { provider: 'none' }, body: { returnTo: '/' } }));
  await rest.updatePreferences({ body: { dailyDigest: true } });
  assert.equal((await rest.getPreferences()).dailyDigest, true);

  const changed = await rest.changePreferences({ body: { digestTime: '07:30', timeZone: 'Europe/Berlin' } });
  assert.equal(changed.timeZone, 'Europe/Berlin');
  await rest.endOtherSessions();
  const { sessions } = await rest.listSessions();
  assert.deepEqual(
    sessions.map(({ current }) => current),
    [true],
  );

  const { workspace } = await rest.createWorkspace({ body: { name: 'Garden' } });
  const workspaceOptions = { params: { id: workspace.id } };
  await rest.updateWorkspace({ ...workspaceOptions, body: { name: 'Yard' } });
  assert.equal((await rest.listWorkspaces()).workspaces[0]?.name, 'Yard');
  const invite = async () =>
    (await rest.inviteToWorkspace({ ...workspaceOptions, body: { email: guest } })).invitation.id;
  const revoked = await invite();
  assert.equal((await rest.listWorkspaceInvitations(workspaceOptions)).invitations.length, 1);
  await rest.revokeInvitation({ params: { id: workspace.id, invitationId: revoked } });
  const declinedId = await invite();
  await rest.signIn({ body: { email: guest, password: newPassword } });
  assert.equal((await rest.listInvitations()).invitations.length, 1);
  await rest.declineInvitation({ params: { id: declinedId } });
  await rest.signIn({ body: { email, password: newPassword } });
  const acceptedId = await invite();
  await rest.signIn({ body: { email: guest, password: newPassword } });
  const membership = await rest.acceptInvitation({ params: { id: acceptedId } });
  await rest.signIn({ body: { email, password: newPassword } });
  const [, member] = membership.workspace.members;
  const { members } = await rest.listMembers(workspaceOptions);
  assert.deepEqual(
    members.map(({ role }) => role),
    ['admin', 'editor'],
  );
  const promotion = { params: { id: workspace.id, userId: member?.id ?? '' }, body: { role: 'commenter' } } as const;
  assert.equal((await rest.setMemberRole(promotion)).member.role, 'commenter');
  await rest.removeMember({ params: { id: workspace.id, userId: member?.id ?? '' } });
  await rest.deleteWorkspace(workspaceOptions);

  const { project } = await rest.createProject({ body: { name: 'Garden', personal: true } });
  const params = { id: project.id };
  await rest.updateProject({ params, body: { name: 'Orchard' } });
  assert.equal((await rest.getProject({ params })).project.name, 'Orchard');
  assert.equal((await rest.listProjects()).projects.length, 2);
  assert.equal((await rest.listPersonalProjects({ query: { search: 'orch' } })).personalProjects.length, 1);
  assert.equal((await rest.getInbox()).inbox.isDefault, true);
  const { section } = await rest.createSection({ params, body: { name: 'Trees' } });
  const sectionOptions = { params: { ...params, sectionId: section.id } };
  await rest.updateSection({ ...sectionOptions, body: { name: 'Apple trees' } });
  assert.equal((await rest.listSections({ params })).sections[0]?.name, 'Apple trees');

  const { tag: blue } = await rest.createTag({ body: { name: 'blue', color: 'blue' } });
  const { tag: red } = await rest.createTag({ body: { name: 'red', color: 'red' } });
  const tagIds = [blue.id, red.id];
  await rest.updateTag({ params: { id: blue.id }, body: { name: 'azure' } });
  assert.deepEqual(
    (await rest.listTags({ query: { ids: tagIds } })).tags.map(({ name }) => name),
    ['azure', 'red'],
  );
  assert.ok(await rest.countTags());
  const { todo } = await rest.createTask({ body: { title: 'Prune', tags: [blue.id], projectId: project.id } });
  const { todo: other } = await rest.createTask({ body: { title: 'Water', tags: [red.id] } });
  const todoIds = [todo.id, other.id];
  await rest.updateTask({ params: { id: todo.id }, body: { completed: true } });
  const open = await rest.listTasks({ query: { tagIds, completed: false } });
  assert.deepEqual(
    open.todos.map(({ id }) => id),
    [other.id],
  );
  assert.equal((await rest.searchTasks({ query: { q: 'Prune' } })).todos.length, 1);
  await rest.updateTasks({ query: { todoIds }, body: { priority: 'high' } });
  assert.deepEqual(
    (await rest.listTasks()).todos.map(({ priority }) => priority),
    ['high', 'high'],
  );
  const { comment } = await rest.createComment({ params: { id: todo.id }, body: { text: 'Prune it?' } });
  const onComment = { params: { id: comment.id } };
  assert.equal((await rest.updateComment({ ...onComment, body: { text: 'Pruned' } })).comment.text, 'Pruned');
  assert.equal((await rest.listComments({ params: { id: todo.id }, query: { first: 5 } })).comments.length, 1);
  assert.equal((await rest.searchComments({ query: { q: 'prun' } })).comments.length, 1);
  await rest.deleteComment(onComment);
  assert.deepEqual((await rest.listChanges()).changes, []);
  assert.equal((await rest.sync({ query: { limit: 500 } })).tasks.length, 2);
  assert.equal((await rest.exportData()).todos.length, 2);

  const userId = user.id;
  const assignee = { params: { id: other.id, userId } };
  assert.equal((await rest.addAssignee(assignee)).assignees[0]?.id, userId);
  assert.equal((await rest.listAssignees({ params: { id: other.id } })).assignees.length, 1);
  assert.deepEqual((await rest.listAssignedTasks()).todos[0]?.assigneeIds, [userId]);
  assert.deepEqual((await rest.removeAssignee(assignee)).assignees, []);

  const { todo: last } = await rest.createTask({ body: { title: 'Weed' } });
  await rest.moveTask({ params: { id: last.id }, body: { parentId: other.id } });
  assert.equal((await rest.getTask({ params: { id: other.id } })).todo.children[0]?.id, last.id);
  assert.deepEqual((await rest.listReminders({ params: { id: last.id } })).reminders, []);
  assert.match((await rest.getDigest()).digest.subject, /./);
  assert.ok((await rest.listDeliveries({ query: { first: 5 } })).deliveries.length > 0);
  assert.deepEqual((await rest.listNotifications({ query: { unread: true, first: 5 } })).notifications, []);
  assert.equal((await rest.readNotifications({ body: { taskIds: [last.id] } })).readCount, 0);
  assert.equal((await rest.muteTask({ params: { id: last.id }, body: { muted: true } })).muted, true);
  const { recurrence } = await rest.previewRecurrence({
    query: { rule: 'FREQ=DAILY', dueDate: '2030-01-01', first: 1 },
  });
  assert.deepEqual(recurrence.upcoming, [{ number: 2, date: '2030-01-02', dueTime: null }]);
  const repeating = { params: { id: last.id } };
  await rest.setRecurrence({ ...repeating, body: { rule: 'FREQ=DAILY', start: null } });
  assert.equal((await rest.skipOccurrence(repeating)).recurrence?.number, 2);
  assert.equal((await rest.getRecurrence({ ...repeating, query: { first: 1 } })).recurrence?.upcoming[0]?.number, 3);
  assert.equal((await rest.endRecurrence(repeating)).msg, 'recurrence removed successfully');
  await rest.deleteTask({ params: { id: last.id } });
  await rest.deleteTasks({ query: { todoIds } });
  assert.deepEqual((await rest.listTasks()).todos, []);
  const [entry, ...entries] = (await rest.listTrash()).trash;
  assert.equal(entries.length, 3);
  const restored = await rest.restoreEntries({ body: { ids: [entry?.id ?? ''] } });
  assert.deepEqual([restored.applied, restored.conflicts], [1, []]);
  const history = await rest.todoHistory({ params: { id: entry?.id ?? '' } });
  assert.equal(history.history[0]?.kind, 'created');
  const undoResult = await rest.undoOperation({ params: { id: restored.operationId ?? '' }, body: {} });
  assert.equal(undoResult.applied, 1);
  assert.deepEqual((await rest.listTasks()).todos, []);
  await rest.deleteTags({ query: { tagIds } });
  assert.deepEqual((await rest.listTags()).tags, []);
  await rest.deleteSection(sectionOptions);
  await rest.deleteProject({ params });
  const { todo: work } = await rest.createTask({ body: { title: 'Water the plants' } });
  const { claim } = await rest.claimTask({ body: { filter: {}, seconds: 60 } });
  assert.equal(claim?.taskId, work.id);
  assert.equal((await rest.listClaims()).claims[0]?.fence, claim.fence);
  const held = { params: { fence: claim.fence } };
  assert.equal((await rest.renewClaim({ ...held, body: {} })).claim.taskId, work.id);
  assert.equal((await rest.releaseClaim(held)).msg, 'claim released successfully');
  const { webhook } = await rest.createWebhook({ body: { url: 'https://hooks.invalid', kinds: ['created'] } });
  const hook = { params: { id: webhook.id } };
  assert.match((await rest.rotateWebhookSecret(hook)).secret, /^whsec_/);
  assert.equal((await rest.updateWebhook({ ...hook, body: { enabled: false } })).webhook.state, 'paused');
  assert.equal((await rest.testWebhook(hook)).attempt.type, 'ping');
  assert.equal((await rest.listWebhookAttempts(hook)).attempts.length, 1);
  assert.deepEqual((await rest.listWebhooks()).webhooks.length, 1);
  await rest.deleteWebhook(hook);
  for (const { id } of (await rest.listSessions()).sessions) await rest.endSession({ params: { id } });
  await rest.signIn({ body: { email, password: newPassword } });
  await rest.deleteAccount({ body: { password: newPassword } });
}

interface OpenApi {
  paths: Record<string, Record<string, { operationId: string }>>;
}

/** Records successful operations and their query strings. */
export class WatchedOperations {
  readonly queries: string[] = [];
  readonly #operations: { id: string; method: string; path: RegExp; specificity: number }[];
  readonly #succeeded = new Set<string>();

  private constructor({ paths }: OpenApi) {
    this.#operations = Object.entries(paths)
      .flatMap(([path, methods]) =>
        Object.entries(methods).map(([method, { operationId }]) => ({
          id: operationId,
          method: method.toUpperCase(),
          path: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
          specificity: -path.split('{').length,
        })),
      )
      .sort((a, b) => b.specificity - a.specificity);
  }

  static async fromDocument(): Promise<WatchedOperations> {
    const text = await readFile(path.join(import.meta.dirname, '../../openapi.json'), 'utf8');
    return new WatchedOperations(JSON.parse(text) as OpenApi);
  }

  get missing(): string[] {
    return this.#operations.map(({ id }) => id).filter((id) => !this.#succeeded.has(id));
  }

  record({ method, url }: Request, { ok }: Response): string | undefined {
    const { pathname, search } = new URL(url);
    const operation = this.#operations.find((each) => each.method === method && each.path.test(pathname));
    if (!operation || !ok) return undefined;
    this.#succeeded.add(operation.id);
    this.queries.push(search);
    return operation.id;
  }
}

/** A `fetch` with relative addresses, a session cookie, and a callback for responses. */
export function browserFetch(origin: string, show: (request: Request, response: Response) => void): typeof fetch {
  let cookie = '';
  return async (input, init) => {
    const request = new Request(input instanceof Request ? input : new URL(input, origin), init);
    request.headers.set('Cookie', cookie);
    const response = await send(request);
    const [set] = response.headers.getSetCookie();
    if (set !== undefined) cookie = set.split(';')[0] ?? '';
    show(request, response);
    return response;
  };
}
/** The `fetch` of Node: a test may replace the global one. */
const send = globalThis.fetch;
