import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { FixedClock } from '../notifications/deliveries.ts';
import { makeProject, makeTask, makeWorkspace } from '../kit/make.ts';
import { type Service, startService } from '../kit/service.ts';
import { openSmtpSink, type SmtpSink } from '../kit/smtp-sink.ts';
import { signUp, type User } from '../kit/users.ts';
import { notify, unreadOf } from './notify.ts';

let service: Service;
let sink: SmtpSink;
const clock = new FixedClock(new Date().toISOString());
let anna: User;
let ben: User;
let projectId: string;

beforeAll(async () => {
  sink = await openSmtpSink();
  service = await startService({ SMTP_URL: sink.url }, { clock });
});
afterAll(async () => {
  await service.close();
  await sink.close();
});
beforeEach(async () => {
  [anna, ben] = [await signUp(service), await signUp(service)];
  const { id: workspaceId } = await makeWorkspace(anna, ben);
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
const deliveryOf = async (user: User) => {
  const rows = await service.sql<{ status: string; reason: string | null }>(
    `SELECT status, reason FROM deliveries WHERE kind = 'ACTIVITY' AND user_id = $1 ORDER BY created_at, id`,
    [user.id],
  );
  return rows.map(({ status, reason }) => [status, ...(reason === null ? [] : [reason])].join(': '));
};

describe('the mail about activity', () => {
  test('comes once, five minutes after the first unread event, with everything', async () => {
    const [one, other] = [await makeShared(), await makeShared('Water the plants')];
    await notify(service, ben, one, { actorId: anna.id });
    await sendAfter(290_000);
    expect([mailsTo(ben), await deliveryOf(ben)]).toEqual([[], ['PLANNED']]);
    await notify(service, ben, other, { actorId: anna.id });
    await sendAfter(due);
    expect(mailsTo(ben)).toHaveLength(1);
    expect(mailsTo(ben)[0]).toMatchObject({ subject: '2 tasks' });
    await sendAfter(2 * due);
    expect([mailsTo(ben).length, await deliveryOf(ben)]).toEqual([1, ['SENT']]);
    expect(await unreadOf(ben)).toBe(2);
  });
});
