import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { FixedClock } from '../notifications/deliveries.ts';
import { skippedActivity } from '../../src/notifications/activity-kind.ts';
import { newId } from '../../src/platform/ids.ts';
import { openLockHolder } from '../kit/locks.ts';
import { addMember, makeComment, makeProject, makeTask, makeWorkspace } from '../kit/make.ts';
import { type Service, startService } from '../kit/service.ts';
import { openSmtpSink, type SmtpSink } from '../kit/smtp-sink.ts';
import { signUp, type User } from '../kit/users.ts';
import { unreadOf } from './notify.ts';

let service: Service;
let sink: SmtpSink;
const clock = new FixedClock(new Date().toISOString());
let anna: User;
let ben: User;
let projectId: string;
let workspaceId: string;

beforeAll(async () => {
  sink = await openSmtpSink();
  service = await startService({ SMTP_URL: sink.url }, { clock });
});
afterAll(async () => {
  await service.close();
  await sink.close();
});
beforeEach(async () => {
  clock.set(Date.now());
  [anna, ben] = [await signUp(service), await signUp(service)];
  workspaceId = (await makeWorkspace(anna, ben)).id;
  projectId = (await makeProject(anna, { workspaceId, name: 'Garden' })).id;
});

const makeShared = (title = 'Prune the roses') => makeTask(anna, { projectId, title });
/** Milliseconds after the present of the database, whose clock gives the time of events. */
async function sendAfter(ms: number): Promise<void> {
  clock.set(Date.now() + ms);
  await service.services.mailer.drain();
}
const due = 301_000;
const mailsTo = ({ email }: User) =>
  sink.mails.filter(({ recipient, text }) => recipient === email && text?.includes('Stop mails about tasks'));
const deliveriesOf = async (user: User) => {
  const rows = await service.sql<{ status: string; reason: string | null }>(
    `SELECT status, reason FROM deliveries WHERE kind = 'ACTIVITY' AND user_id = $1 ORDER BY created_at, id`,
    [user.id],
  );
  return rows.map(({ status, reason }) => [status, ...(reason === null ? [] : [reason])].join(': '));
};

const read = (user: User) => user.data('mutation { readNotifications }');
const assign = (id: string, to: User) =>
  anna.data(`mutation { updateTask(id: "${id}", input: { addAssigneeIds: ["${to.id}"] }) { id } }`);

describe('the mail about activity', () => {
  test('comes once, five minutes after the first unread event, with everything', async () => {
    const [one, other] = [await makeShared(), await makeShared('Water the plants')];
    await assign(one.id, ben);
    await sendAfter(290_000);
    expect([mailsTo(ben), await deliveriesOf(ben)]).toEqual([[], ['PLANNED']]);
    await makeComment(anna, other.id, { text: `Tomorrow, @${ben.id}?` });
    await sendAfter(due);
    expect(mailsTo(ben)).toMatchObject([{ subject: '2 tasks' }]);
    expect(mailsTo(ben)[0]?.text).toContain(`: Tomorrow, @${ben.email.replace('@', '@ ').replace('.', '. ')}?`);
    await sendAfter(2 * due);
    expect([mailsTo(ben).length, await deliveriesOf(ben)]).toEqual([1, ['SENT']]);
    expect(await unreadOf(ben)).toBe(2);
    await makeComment(anna, other.id, { text: `And @${ben.id} again` });
    await sendAfter(due);
    expect(mailsTo(ben).at(-1)).toMatchObject({
      subject: 'Water the plants',
      text: expect.not.stringContaining('Tomorrow'),
    });
    expect(await deliveriesOf(ben)).toEqual(['SENT', 'SENT']);
  });

  test('shows what only looks like a mention as it was written', async () => {
    const { id } = await makeShared();
    await assign(id, ben);
    await makeComment(anna, id, { text: `@${ben.id}abc` });
    await sendAfter(due);
    expect(mailsTo(ben)[0]?.text).toContain(`@ ${ben.id}abc`);
  });

  test('has three comments of forty, and a number', async () => {
    const { id } = await makeShared();
    await assign(id, ben);
    await read(ben);
    for (let count = 1; count <= 40; count += 1)
      await makeComment(anna, id, { text: `Comment ${count} ${'x'.repeat(600)}` });
    await sendAfter(due);
    const [mail, ...others] = mailsTo(ben);
    expect(others).toEqual([]);
    expect(mail?.text?.match(/Comment \d+/g)).toEqual(['Comment 38', 'Comment 39', 'Comment 40']);
    expect(mail?.text).toContain('and 37 more comments');
    for (const [, words = ''] of mail?.text?.matchAll(/: (Comment [^\n]*)/g) ?? []) expect(words).toHaveLength(500);
  });

  test('has twenty of a thousand assigned tasks, and a number', async () => {
    const ids = Array.from({ length: 1000 }, () => newId('Task'));
    await service.sql(
      `INSERT INTO tasks (id, space_id, project_id, title, sort_key)
       SELECT task.id, space_id, $2, 'One of many', 'a' || n FROM unnest($1::text[]) WITH ORDINALITY AS task (id, n), projects WHERE projects.id = $2`,
      [ids, projectId],
    );
    await anna.data(
      'mutation ($ids: [ID!]!, $to: [ID!]) { updateTasks(ids: $ids, input: { addAssigneeIds: $to }) { count } }',
      { ids, to: [ben.id] },
    );
    expect(await unreadOf(ben)).toBe(1000);
    await sendAfter(due);
    expect(mailsTo(ben)).toMatchObject([
      { subject: '1000 tasks', text: expect.stringContaining('and 980 more tasks') },
    ]);
    expect(mailsTo(ben)[0]?.text?.match(/One of many\n/g)).toHaveLength(20);
    await sendAfter(due);
    expect(await deliveriesOf(ben)).toEqual(['SENT']);
  });

  test.each<[string, (id: string) => Promise<unknown>]>([
    ['was read', () => read(ben)],
    ['was withdrawn', (id) => anna.data(`mutation { updateTask(id: "${id}", input: { assigneeIds: [] }) { id } }`)],
    ['was deleted', (id) => anna.delete(`/api/v2/todo/${id}`)],
    [
      'is out of sight',
      async (id) => {
        await makeComment(anna, id, { text: `@${ben.id}` });
        await anna.delete(`/api/v2/workspaces/${workspaceId}/members/${ben.id}`);
      },
    ],
  ])('is skipped with a reason if everything %s', async (_name, act) => {
    const { id } = await makeShared();
    await assign(id, ben);
    await act(id);
    await sendAfter(due);
    expect([mailsTo(ben), await deliveriesOf(ben)]).toEqual([[], [`SKIPPED: ${skippedActivity.empty}`]]);
  });

  test.each<[string, (id: string) => Promise<() => Promise<unknown>>]>([
    [
      'its task is back',
      async (id) => {
        const { headers } = await anna.patch(`/api/v2/todo/${id}`, { projectId: null });
        return () => anna.post(`/api/v2/operations/${headers.get('x-operation-id')}/undo`);
      },
    ],
    [
      'the member is back',
      async () => {
        await anna.delete(`/api/v2/workspaces/${workspaceId}/members/${ben.id}`);
        return () => addMember(anna, workspaceId, ben);
      },
    ],
  ])('comes later with an event that was out of sight, once %s', async (_name, hide) => {
    const { id } = await makeShared();
    await makeComment(anna, id, { text: `@${ben.id}` });
    const show = await hide(id);
    await sendAfter(due);
    expect([mailsTo(ben), await deliveriesOf(ben)]).toEqual([[], [`SKIPPED: ${skippedActivity.empty}`]]);
    await show();
    await sendAfter(2 * due);
    expect(mailsTo(ben)).toHaveLength(1);
  });

  test('follows the preference of the moment', async () => {
    const { id } = await makeShared();
    const prefer = (activityMails: string) =>
      ben.patch('/api/v1/user/user-preferences', { activityMails, emailEnabled: true });
    await prefer('direct');
    await makeComment(ben, id);
    await makeComment(anna, id);
    expect(await deliveriesOf(ben)).toEqual([]);
    await makeComment(anna, id, { text: `@${ben.id}` });
    await prefer('none');
    await sendAfter(due);
    expect(await deliveriesOf(ben)).toEqual([`SKIPPED: ${skippedActivity.off}`]);
    await assign(id, ben);
    expect(await deliveriesOf(ben)).toHaveLength(1);
    await prefer('all');
    await ben.patch('/api/v1/user/user-preferences', { emailEnabled: false });
    await makeComment(anna, id, { text: 'Silence' });
    await sendAfter(due);
    expect([mailsTo(ben), (await deliveriesOf(ben)).length]).toEqual([[], 1]);
  });

  test('is one thread for a task, and ends by one click', async () => {
    const { id } = await makeShared();
    for (const text of ['One', 'Two']) {
      await makeComment(anna, id, { text: `${text} @${ben.id}` });
      await sendAfter(due);
    }
    const mails = mailsTo(ben);
    expect(mails.map(({ references }) => references)).toEqual(
      [`<${id}@localhost>`, `<${id}@localhost>`].map((each) => expect.stringContaining(each) as unknown),
    );
    expect(new Set(mails.map(({ messageId }) => messageId)).size).toBe(2);
    const list = mails[0]?.headers.get('list') as unknown as { unsubscribe: { url: string } };
    const { pathname } = new URL(list.unsubscribe.url);
    expect(await ben.data('{ viewer { preferences { activityMails } } }')).toMatchObject({
      viewer: { preferences: { activityMails: 'ALL' } },
    });
    expect((await fetch(`${service.url}${pathname}`, { method: 'POST' })).status).toBe(200);
    expect(await ben.data('{ viewer { preferences { activityMails } } }')).toMatchObject({
      viewer: { preferences: { activityMails: 'NONE' } },
    });
  });

  test('shows the text of the moment, as text', async () => {
    const { id } = await makeShared('<b>Prune</b>');
    const { id: commentId } = await makeComment(anna, id, { text: `@${ben.id} password` });
    const text = `@${ben.id} <img src=x> www.evil.example\nBcc: x\u202e @${newId('User')}`;
    await anna.patch(`/api/v2/comments/${commentId}`, { text });
    await anna.put('/api/v1/user/name', { name: 'An\u202ena <i> evil.example' });
    await ben.put('/api/v1/user/name', { name: 'Ben' });
    await sendAfter(due);
    const [mail] = mailsTo(ben);
    expect(mail?.text).toContain(
      'Anna <i> evil. example: @Ben <img src=x> www. evil. example Bcc: x @user_'.replace('Anna', 'An na'),
    );
    expect(mail?.html).toContain('@Ben &lt;img src=x&gt; www. evil. example Bcc: x');
    expect(JSON.stringify(mail)).not.toContain('password');
  });

  test('shows that a comment goes on, also if its names are short', async () => {
    const { id } = await makeShared();
    await ben.put('/api/v1/user/name', { name: 'Ben' });
    await makeComment(anna, id, { text: `${`@${ben.id} `.repeat(100)}all` });
    await sendAfter(due);
    expect(mailsTo(ben)[0]?.text).toMatch(/: (@Ben )+.*…\n/);
  });

  test('is composed again after a failure, and sent once', async () => {
    const { id } = await makeShared();
    await assign(id, ben);
    await service.sql('ALTER TABLE comments RENAME TO away');
    await sendAfter(due);
    expect([mailsTo(ben), await deliveriesOf(ben)]).toEqual([[], ['PLANNED']]);
    await service.sql('ALTER TABLE away RENAME TO comments');
    await sendAfter(due + 60_000);
    await sendAfter(2 * due);
    expect([mailsTo(ben).length, await deliveriesOf(ben)]).toEqual([1, ['SENT']]);
  });

  test('is sent after a failure, also about events of the time before another preference', async () => {
    const { id } = await makeShared();
    await ben.patch('/api/v1/user/user-preferences', { activityMails: 'none' });
    await assign(id, ben);
    await service.sql("UPDATE notification_events SET created_at = created_at - interval '3 days' WHERE user_id = $1", [
      ben.id,
    ]);
    await ben.patch('/api/v1/user/user-preferences', { activityMails: 'all' });
    await makeComment(anna, id, { text: `@${ben.id}` });
    sink.setBehaviour(() => ({ responseCode: 451, message: 'later' }));
    await sendAfter(1000);
    sink.setBehaviour(() => undefined);
    expect([mailsTo(ben), await deliveriesOf(ben)]).toEqual([[], ['PLANNED']]);
    await sendAfter(120_000);
    expect([mailsTo(ben).length, await deliveriesOf(ben)]).toEqual([1, ['SENT']]);
  });

  test('has each event in this mail or the next, however events and the end of a mail meet', async () => {
    const { id } = await makeShared();
    await makeComment(anna, id, { text: `One @${ben.id}` });
    const holder = await openLockHolder(service);
    await holder.sql(`INSERT INTO notification_events (user_id, task_id, reason) VALUES ($1, $2, 'ASSIGNED')`, [
      ben.id,
      id,
    ]);
    clock.set(Date.now() + due);
    const sending = service.services.mailer.drain();
    await holder.release();
    await sending;
    await sendAfter(2 * due);
    await sendAfter(3 * due);
    const rows = await service.sql('SELECT FROM notification_events WHERE user_id = $1 AND mailed_at IS NULL', [
      ben.id,
    ]);
    expect([rows, new Set(await deliveriesOf(ben))]).toEqual([[], new Set(['SENT'])]);
  });
});
