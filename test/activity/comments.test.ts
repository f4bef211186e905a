import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { newId } from '../../src/platform/ids.ts';
import { openLockHolder, untilWaiting } from '../kit/locks.ts';
import { addMember, makeComment, makeProject, makeTask, makeWorkspace } from '../kit/make.ts';
import { makeProgram } from '../kit/program.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { signUp, type User } from '../kit/users.ts';
import { entriesOf, unreadOf } from './notify.ts';

let service: Service;
let anna: User;
let ben: User;
let carl: User;
let workspaceId: string;
let taskId: string;
let projectId: string;
beforeAll(async () => {
  service = await sharedService();
});
/** Anna has made the task, Carl is assigned to it, and Ben has nothing to do with it. */
beforeEach(async () => {
  [anna, ben, carl] = [await signUp(service), await signUp(service), await signUp(service)];
  workspaceId = (await makeWorkspace(anna, ben, carl)).id;
  projectId = (await makeProject(anna, { workspaceId })).id;
  taskId = (await makeTask(anna, { projectId })).id;
  await service.sql('UPDATE tasks SET assignee_ids = ARRAY[$2] WHERE id = $1', [taskId, carl.id]);
});

const at = ({ id }: { id: string }) => `Look at this, @${id}.`;
const edit = (user: User, id: string, text: string) => user.patch(`/api/v2/comments/${id}`, { text });
const reasonsOf = async (user: User) => {
  const rows = await service.sql<{ reason: string }>(
    'SELECT reason FROM notification_events WHERE user_id = $1 ORDER BY id',
    [user.id],
  );
  return rows.map(({ reason }) => reason);
};
const reasons = async () => [await reasonsOf(anna), await reasonsOf(ben), await reasonsOf(carl)];

describe('a new comment', () => {
  test('notifies the creator, the assignees, and everybody with a comment on the task, but not its author', async () => {
    await makeComment(ben, taskId);
    expect(await reasons()).toEqual([['COMMENTED'], [], ['COMMENTED']]);
    await makeComment(anna, taskId);
    expect(await reasons()).toEqual([['COMMENTED'], ['COMMENTED'], ['COMMENTED', 'COMMENTED']]);
    await ben.put(`/api/v2/todo/${taskId}/muted`, { muted: true });
    await makeComment(carl, taskId);
    expect(await reasons()).toEqual([['COMMENTED', 'COMMENTED'], ['COMMENTED'], ['COMMENTED', 'COMMENTED']]);
  });

  test('locks the revisions of the readers and of its author in one order', async () => {
    await makeComment(carl, taskId);
    const row = (mode: string) => `SELECT FROM related_revisions WHERE space_id = $1 FOR NO KEY UPDATE ${mode}`;
    const [first, second] = [await openLockHolder(service), await openLockHolder(service)];
    await first.sql(row(''), [anna.id]);
    const comment = makeComment(anna, taskId);
    await untilWaiting(service, 1);
    const isFree = await second.sql(row('NOWAIT'), [carl.id]).then(
      () => true,
      () => false,
    );
    await Promise.all([first.release(), second.release(), comment]);
    expect(isFree).toBe(true);
    expect(await reasonsOf(carl)).toEqual(['COMMENTED']);
    expect([await unreadOf(anna), await unreadOf(carl)]).toEqual([0, 1]);
  });

  test('notifies mentioned members, once and by the stronger reason, even on a muted task', async () => {
    await carl.put(`/api/v2/todo/${taskId}/muted`, { muted: true });
    const comment = await makeComment(anna, taskId, { text: `${at(ben)} ${at(carl)} ${at(ben)} ${at(anna)}` });
    expect(await reasons()).toEqual([[], ['MENTIONED'], ['MENTIONED']]);
    const entry = {
      reasons: ['mentioned'],
      unread: 1,
      actor: { id: anna.id },
      comment: { id: comment.id, text: comment.text },
    };
    expect(await ben.get('/api/v2/notifications')).toMatchObject({ body: { notifications: [entry], unread: 1 } });
  });

  test('mentions no stranger, no former member and no unknown id, and answers alike', async () => {
    const [stranger, former] = [await signUp(service), await signUp(service)];
    await addMember(anna, workspaceId, former);
    await makeComment(former, taskId);
    await anna.delete(`/api/v2/workspaces/${workspaceId}/members/${former.id}`);
    const before = await reasonsOf(former);
    for (const id of [stranger.id, former.id, newId('User'), `${ben.id}x`]) {
      const text = `For @${id}`;
      expect(await anna.post(`/api/v2/todo/${taskId}/comments`, { text })).toMatchObject({
        status: 201,
        body: { comment: { text } },
      });
    }
    expect([await reasonsOf(stranger), await reasonsOf(former), await reasonsOf(ben)]).toEqual([[], before, []]);
  });

  test('marks the entry of its author as read', async () => {
    await makeComment(anna, taskId);
    const other = await makeTask(anna, { projectId });
    await makeComment(anna, other.id, { text: at(carl) });
    expect(await unreadOf(carl)).toBe(2);
    await makeComment(carl, taskId);
    expect(await entriesOf(carl, '(unread: true)')).toMatchObject([{ task: { id: other.id } }]);
  });

  test('by a program, over GraphQL or under a repeated key has the same effect', async () => {
    const program = await makeProgram(service, anna);
    await makeComment(program, taskId, { text: at(ben) });
    const query = `mutation { createComment(taskId: "${taskId}", text: "${at(ben)}") { id } }`;
    const headers = { 'Idempotency-Key': crypto.randomUUID() };
    for (const body of [{ query }, { query }])
      expect(await anna.post('/graphql', body, { headers })).toMatchObject({ status: 200 });
    expect(await reasons()).toEqual([[], ['MENTIONED', 'MENTIONED'], ['COMMENTED', 'COMMENTED']]);
  });

  test('of forty makes one entry with forty unread events', async () => {
    for (let count = 0; count < 40; count += 1) await makeComment(anna, taskId);
    expect(await entriesOf(carl)).toMatchObject([{ unread: 40, reasons: ['COMMENTED'] }]);
    expect(await unreadOf(carl)).toBe(1);
  });
});

describe('an edit', () => {
  test('notifies only members whom the text did not mention before, and nobody without a new mention', async () => {
    const { id } = await makeComment(anna, taskId, { text: at(ben) });
    await edit(anna, id, `${at(ben)} Changed.`);
    expect(await reasons()).toEqual([[], ['MENTIONED'], ['COMMENTED']]);
    await edit(anna, id, `${at(ben)} ${at(carl)} ${at(anna)}`);
    expect(await reasons()).toEqual([[], ['MENTIONED'], ['MENTIONED']]);
  });

  test('notifies a mentioned user who became a member after the former text', async () => {
    const [joining, { id }] = [await signUp(service), await makeComment(anna, taskId)];
    await edit(anna, id, at(joining));
    await addMember(anna, workspaceId, joining, 'VIEWER');
    await edit(anna, id, `${at(joining)} Changed.`);
    expect(await reasonsOf(joining)).toEqual(['MENTIONED']);
    await edit(anna, id, `${at(joining)} Changed again.`);
    expect(await reasonsOf(joining)).toEqual(['MENTIONED']);
  });

  test('withdraws mentions, as does its undo', async () => {
    const { id } = await makeComment(anna, taskId, { text: at(ben) });
    await edit(anna, id, 'Nobody');
    expect(await reasonsOf(ben)).toEqual([]);
    const { headers } = await edit(anna, id, at(ben));
    expect(await reasonsOf(ben)).toEqual(['MENTIONED']);
    expect(await anna.post(`/api/v2/operations/${headers.get('x-operation-id')}/undo`)).toMatchObject({
      body: { applied: 1 },
    });
    expect(await reasonsOf(ben)).toEqual([]);
  });
});

describe('an edit that takes a mention away', () => {
  test('withdraws it even if a longer word remains', async () => {
    const { id } = await makeComment(anna, taskId, { text: at(ben) });
    await edit(anna, id, `@${ben.id}x`);
    expect(await reasonsOf(ben)).toEqual([]);
  });

  test('leaves the weaker reason to assignees, the creator and authors of comments, unless they muted the task', async () => {
    await makeComment(ben, taskId);
    const { id } = await makeComment(carl, taskId, { text: `${at(anna)} ${at(ben)}` });
    await anna.put(`/api/v2/todo/${taskId}/muted`, { muted: true });
    await edit(carl, id, 'Nobody');
    expect([(await reasonsOf(anna)).slice(1), await reasonsOf(ben)]).toEqual([[], ['COMMENTED']]);
    const other = await makeComment(anna, taskId, { text: at(carl) });
    await edit(anna, other.id, 'Nobody');
    expect((await entriesOf(carl)).map(({ reasons }) => reasons)).toEqual([['COMMENTED']]);
  });

  test('leaves nothing of a comment that was read before', async () => {
    const { id } = await makeComment(anna, taskId);
    await carl.data('mutation { readNotifications }');
    await edit(anna, id, at(carl));
    expect(await unreadOf(carl)).toBe(1);
    await edit(anna, id, 'Nobody');
    expect([await reasonsOf(carl), await unreadOf(carl)]).toEqual([['COMMENTED'], 0]);
  });
});

describe('a deleted comment', () => {
  test('takes its unread events with it, and its restoration brings none back', async () => {
    const { id } = await makeComment(anna, taskId, { text: at(ben) });
    await ben.data('mutation { readNotifications }');
    await anna.delete(`/api/v2/comments/${id}`);
    expect(await reasons()).toEqual([[], ['MENTIONED'], []]);
    const query = '{ notifications { nodes { comment { text } reasons } } }';
    expect(await ben.data(query)).toEqual({ notifications: { nodes: [{ comment: null, reasons: ['MENTIONED'] }] } });
    await anna.post('/api/v2/trash/restore', { ids: [id] });
    expect(await reasonsOf(carl)).toEqual([]);
    expect(await ben.data(query)).toMatchObject({ notifications: { nodes: [{ comment: { text: at(ben) } }] } });
  });

  test('by the undo of its creation notifies nobody, nor does the undo of that', async () => {
    const made = await anna.post(`/api/v2/todo/${taskId}/comments`, { text: at(ben) });
    const undone = await anna.post<{ operationId: string }>(
      `/api/v2/operations/${made.headers.get('x-operation-id')}/undo`,
    );
    expect(await reasons()).toEqual([[], [], []]);
    await anna.post(`/api/v2/operations/${undone.body.operationId}/undo`);
    expect(await reasons()).toEqual([[], [], []]);
  });
});
