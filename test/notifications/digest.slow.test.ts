import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { holdIntervals } from '../kit/intervals.ts';
import { makeProject, makeTask, makeWorkspace } from '../kit/make.ts';
import { type Service, startService } from '../kit/service.ts';
import { openSmtpSink, type SmtpSink } from '../kit/smtp-sink.ts';
import type { User } from '../kit/users.ts';
import {
  dayMs,
  deliveriesOf,
  FixedClock,
  hourMs,
  changePreferences,
  planAndSend,
  planAndSendAt,
  signUpBy,
  type ListedDelivery,
} from './deliveries.ts';

const morning = '2026-11-24T06:00:00.000Z';
const clock = new FixedClock(morning);
// The pruning of sent mails goes by the real clock.
holdIntervals();
let sink: SmtpSink;
let service: Service;

beforeAll(async () => {
  sink = await openSmtpSink();
  service = await startService({ SMTP_URL: sink.url }, { clock });
});
afterAll(async () => {
  await service.close();
  await sink.close();
});

interface Digest {
  at: string | null;
  subject: string;
  text: string;
  html: string;
  overdue: { title: string }[];
  today: { title: string }[];
  upcoming: { title: string }[];
}

async function digestOf(user: User): Promise<Digest> {
  const query =
    '{ digest { at subject text html overdue { title } today { title } upcoming { title project { name } } } }';
  return (await user.data<{ digest: Digest }>(query)).digest;
}

const mailsTo = (user: User) =>
  sink.mails.filter(({ recipient, subject }) => recipient === user.email && subject?.startsWith('Your day'));

async function digestsOf(user: User): Promise<ListedDelivery[]> {
  await planAndSend(service);
  const ids = new Set(
    (await service.sql<{ id: string }>("SELECT id FROM deliveries WHERE kind = 'DIGEST'")).map(({ id }) => id),
  );
  return (await deliveriesOf(user)).filter(({ id }) => ids.has(id)).reverse();
}

const digestRows = async (user: User): Promise<string[]> =>
  (await digestsOf(user)).map(({ at, status, reason }) => [at, status, reason ?? ''].join(' ').trim());

async function reader(preferences: object = {}, at: string = morning): Promise<User> {
  clock.set(at);
  const user = await signUpBy(service, sink);
  await makeTask(user, { title: 'Water', dueDate: at.slice(0, 10) });
  await changePreferences(user, { dailyDigest: true, ...preferences });
  await planAndSend(service);
  return user;
}

describe('a digest', () => {
  test('comes once a day at its time in the time zone, and lists due tasks', async () => {
    const anna = await reader({ digestTime: '07:30', timeZone: 'Europe/Berlin' });
    expect(await digestRows(anna)).toEqual(['2026-11-24T06:30:00.000Z PLANNED']);
    await planAndSendAt(service, clock, '2026-11-24T06:30:00Z');
    expect(await digestRows(anna)).toEqual(['2026-11-24T06:30:00.000Z SENT', '2026-11-25T06:30:00.000Z PLANNED']);
    await planAndSendAt(service, clock, '2026-11-25T06:29:59Z');
    expect(mailsTo(anna).map(({ subject }) => subject)).toEqual(['Your day: 1 today']);
    await planAndSendAt(service, clock, '2026-11-25T06:30:00Z');
    expect(mailsTo(anna).map(({ subject }) => subject)).toEqual(['Your day: 1 today', 'Your day: 1 overdue']);
  });

  test('comes each day even if a wrong clock has recorded a digest of a day far ahead', async () => {
    const anna = await reader();
    await service.sql(
      `INSERT INTO deliveries (id, user_id, kind, occurrence, at, next_at, expires_at, status, sent_at)
       SELECT 'dlvr_ahead_' || day, $1, 'DIGEST', day, now(), now(), now(), 'SENT', now()
       FROM unnest('{2026-11-26,2026-11-27,2031-01-01}'::text[]) AS day`,
      [anna.id],
    );
    await changePreferences(anna, { digestTime: '08:30' });
    await planAndSendAt(service, clock, '2026-11-24T08:30:00Z');
    expect(mailsTo(anna)).toHaveLength(1);
    await changePreferences(anna, { digestTime: '09:00' });
    await planAndSendAt(service, clock, '2026-11-25T09:00:00Z');
    expect(mailsTo(anna)).toHaveLength(2);
  });

  test('comes at 08:00 if no time is set', async () => {
    const anna = await reader({ timeZone: 'America/New_York' });
    expect(await digestRows(anna)).toEqual(['2026-11-24T13:00:00.000Z PLANNED']);
  });

  test('is skipped if no task is due', async () => {
    clock.set(morning);
    const anna = await signUpBy(service, sink);
    await makeTask(anna, { dueDate: '2026-12-02' });
    await changePreferences(anna, { dailyDigest: true });
    await planAndSend(service);
    await planAndSendAt(service, clock, '2026-11-24T08:00:00Z');
    expect(await digestRows(anna)).toEqual([
      '2026-11-24T08:00:00.000Z SKIPPED No task was overdue, or due on the day or in the seven days after it.',
      '2026-11-25T08:00:00.000Z PLANNED',
    ]);
    expect(mailsTo(anna)).toEqual([]);
  });

  test('lists the open tasks of all spaces of the user by due moment, as in the mail', async () => {
    clock.set('2026-11-24T10:00:00Z');
    const [anna, ben] = [await signUpBy(service, sink), await signUpBy(service, sink)];
    const { id: workspaceId } = await makeWorkspace(ben, anna);
    const { id: projectId } = await makeProject(ben, { workspaceId, name: 'Shared' });
    await changePreferences(anna, { timeZone: 'Europe/Berlin' });
    const timed = (title: string, dueTime: string) => ({ title, isAllDay: false, dueTime });
    for (const fields of [
      { title: 'last month', dueDate: '2026-10-24' },
      timed('an hour ago', '2026-11-24T09:00:00Z'),
      { title: 'all day', dueDate: '2026-11-24' },
      timed('before midnight', '2026-11-24T22:59:00Z'),
      timed('at midnight', '2026-11-24T23:00:00Z'),
      { title: 'in a week', dueDate: '2026-12-01' },
      timed('at the end of the week', '2026-12-01T22:59:00Z'),
      timed('after the week', '2026-12-01T23:00:00Z'),
      { title: 'in eight days', dueDate: '2026-12-02' },
      { title: 'never' },
    ]) {
      await makeTask(anna, fields);
    }
    await makeTask(ben, { title: 'of the workspace', projectId, dueDate: '2026-11-25' });
    await makeTask(ben, { title: 'of somebody else', dueDate: '2026-11-24' });
    const doneTask = await makeTask(anna, { title: 'done', dueDate: '2026-11-24' });
    await anna.data('mutation ($id: ID!) { updateTask(id: $id, input: { completed: true }) { id } }', {
      id: doneTask.id,
    });
    const digest = await digestOf(anna);
    const titles = (part: { title: string }[]) => part.map(({ title }) => title);
    expect(titles(digest.overdue)).toEqual(['last month', 'an hour ago']);
    expect(titles(digest.today)).toEqual(['all day', 'before midnight']);
    expect(titles(digest.upcoming)).toEqual(['at midnight', 'of the workspace', 'in a week', 'at the end of the week']);
    expect(digest.upcoming[1]).toMatchObject({ project: { name: 'Shared' } });
    expect(digest).toMatchObject({ at: null, subject: 'Your day: 2 overdue, 2 today, 4 in the next seven days' });
    await changePreferences(anna, { dailyDigest: true, digestTime: '11:01' });
    await planAndSend(service);
    expect(await digestOf(anna)).toEqual({ ...digest, at: '2026-11-24T10:01:00.000Z' });
    await planAndSendAt(service, clock, '2026-11-24T10:01:00Z');
    const [mail] = mailsTo(anna);
    expect(mail?.text?.trim()).toBe(digest.text.trim());
    expect(mail?.html).toContain('of the workspace');
  });

  test('names up to fifty tasks of a part in the mail, and all of them over GraphQL', async () => {
    const anna = await reader();
    await service.sql(
      `INSERT INTO tasks (id, space_id, project_id, title, sort_key, due_date)
       SELECT 'task_' || substr(md5($1 || n), 1, 26), $1, (SELECT id FROM projects WHERE space_id = $1), 'Old ' || n, 'a' || n, '2026-01-01'
       FROM generate_series(1, 120) AS n`,
      [anna.id],
    );
    const { overdue, text, subject } = await digestOf(anna);
    expect(overdue).toHaveLength(120);
    expect(subject).toBe('Your day: 120 overdue, 1 today');
    expect(text.match(/^- Old/gm)).toHaveLength(50);
    expect(text).toContain('and 70 more');
  });
});

describe('a day has at most one digest', () => {
  test('even if its time is set to later after it was sent', async () => {
    const anna = await reader();
    await planAndSendAt(service, clock, '2026-11-24T08:00:00Z');
    await changePreferences(anna, { digestTime: '20:00' });
    await planAndSendAt(service, clock, '2026-11-24T20:00:00Z');
    expect(await digestRows(anna)).toEqual(['2026-11-24T08:00:00.000Z SENT', '2026-11-25T20:00:00.000Z PLANNED']);
  });

  test('which moves to the time that is set before it is sent', async () => {
    const anna = await reader();
    await changePreferences(anna, { digestTime: '07:00' });
    expect(await digestRows(anna)).toEqual(['2026-11-24T07:00:00.000Z PLANNED']);
    await changePreferences(anna, { digestTime: '05:00' });
    expect(await digestRows(anna)).toEqual(['2026-11-25T05:00:00.000Z PLANNED']);
    await changePreferences(anna, { digestTime: null, timeZone: 'Asia/Tokyo' });
    expect(await digestRows(anna)).toEqual(['2026-11-24T23:00:00.000Z PLANNED']);
  });

  test('beginning with the next day if digests are turned on after its time', async () => {
    const anna = await reader({}, '2026-11-24T08:00:01.000Z');
    expect(await digestRows(anna)).toEqual(['2026-11-25T08:00:00.000Z PLANNED']);
    expect((await digestOf(anna)).at).toBe('2026-11-25T08:00:00.000Z');
  });

  test.each([{ dailyDigest: false }, { emailEnabled: false }])('and none with %j', async (off) => {
    const anna = await reader();
    await changePreferences(anna, off);
    expect(await digestRows(anna)).toEqual([]);
    expect((await digestOf(anna)).at).toBeNull();
    await planAndSendAt(service, clock, '2026-11-24T08:00:00Z');
    expect(mailsTo(anna)).toEqual([]);
  });

  test('and none if digests are turned off before a due one is sent', async () => {
    const anna = await reader();
    await changePreferences(anna, { dailyDigest: false });
    // The delivery checks the preference when it is sent.
    clock.set('2026-11-24T08:00:00Z');
    await service.services.mailer.drain();
    expect(mailsTo(anna)).toEqual([]);
  });
});

describe('if no process was running', () => {
  test('the digest of today is sent at the next start', async () => {
    const anna = await reader();
    await planAndSendAt(service, clock, '2026-11-24T23:59:59Z');
    expect(await digestRows(anna)).toEqual(['2026-11-24T08:00:00.000Z SENT', '2026-11-25T08:00:00.000Z PLANNED']);
    expect(mailsTo(anna)).toHaveLength(1);
  });

  test("digests of earlier days are not sent, and today's is sent if its time has passed", async () => {
    const anna = await reader();
    await planAndSendAt(service, clock, '2026-11-27T09:00:00Z');
    expect(await digestRows(anna)).toEqual([
      '2026-11-24T08:00:00.000Z SKIPPED The service could not send it before the day was over.',
      '2026-11-27T08:00:00.000Z SENT',
      '2026-11-28T08:00:00.000Z PLANNED',
    ]);
    expect(mailsTo(anna)).toHaveLength(1);
  });
});

describe('on days with a clock change', () => {
  /** Weeks with a change of the clocks in some zone. */
  const weeks = ['2026-10-22', '2026-10-29', '2027-03-11', '2027-03-25', '2027-04-01', '2027-09-30'].map((day) => {
    const from = Date.parse(day);
    return { from, end: from + 7 * dayMs };
  });
  /** `shifted`: the times of digests in those weeks on days when the clocks change. */
  const zones = [
    {
      timeZone: 'Europe/Berlin',
      digestTime: '02:30',
      shifted: ['2027-03-28T01:00:00.000Z', '2026-10-25T00:30:00.000Z'],
    },
    { timeZone: 'America/New_York', digestTime: null, shifted: [] },
    { timeZone: 'Australia/Lord_Howe', digestTime: '02:15', shifted: ['2027-10-02T15:30:00.000Z'] },
  ];

  test('each day has a digest at its local time, in three zones', async () => {
    const users = [];
    // The users of earlier tests get no digest.
    await service.sql('UPDATE preferences SET daily_digest = false');
    for (const zone of zones) {
      clock.set(weeks[0]?.from ?? morning);
      const user = await signUpBy(service, sink);
      await makeTask(user, { title: 'Ever', dueDate: '2026-01-01' });
      await changePreferences(user, { dailyDigest: true, digestTime: zone.digestTime, timeZone: zone.timeZone });
      users.push({ user, ...zone });
    }
    for (const { from, end } of weeks) {
      await planAndSendAt(service, clock, from);
      for (;;) {
        const [next] = await service.sql<{ at: Date | null }>(
          "SELECT min(at) AS at FROM deliveries WHERE status = 'PLANNED'",
        );
        if (!next?.at || next.at.getTime() >= end) break;
        clock.set(next.at);
        await service.services.mailer.drain();
        await service.services.planner.run();
      }
    }
    for (const { user, timeZone, digestTime, shifted } of users) {
      const sent = await service.sql<{ day: string; time: string; at: Date }>(
        `SELECT occurrence AS day, to_char(at AT TIME ZONE $2, 'HH24:MI') AS time, at FROM deliveries
         WHERE user_id = $1 AND kind = 'DIGEST' AND status = 'SENT' ORDER BY at`,
        [user.id, timeZone],
      );
      expect(mailsTo(user)).toHaveLength(sent.length);
      expect(new Set(sent.map(({ day }) => day)).size).toBe(sent.length);
      const rows = sent.filter(({ at }) => weeks.some(({ from, end }) => at.getTime() >= from && at.getTime() < end));
      expect(rows).toHaveLength(7 * weeks.length);
      const usual = rows.filter(({ time }) => time === (digestTime ?? '08:00'));
      const moments = new Set(rows.map(({ at }) => at.toISOString()));
      expect(shifted.filter((index) => !moments.has(index))).toEqual([]);
      // The time differs only if the clocks skip it.
      expect(rows.length - usual.length).toBe(digestTime === null ? 0 : 1);
    }
  });
});

describe('deliveries', () => {
  test("lists the requested number of the caller's mails, latest first", async () => {
    const anna = await reader();
    await planAndSendAt(service, clock, Date.parse(morning) + 2 * hourMs);
    const all = await deliveriesOf(anna);
    const moments = all.map(({ at }) => at);
    expect(moments).toEqual(moments.toSorted().reverse());
    // The code, today's digest, and tomorrow's.
    expect(all.map(({ status }) => status)).toEqual(['PLANNED', 'SENT', 'SENT']);
    expect(await deliveriesOf(anna, 2)).toEqual(all.slice(0, 2));
    expect(await deliveriesOf(anna, 0)).toEqual([]);
    const ben = await signUpBy(service, sink);
    expect(await deliveriesOf(ben)).toHaveLength(1);
  });

  test.each([-1, 501])('refuses a page of %d', async (first) => {
    const anna = await signUpBy(service, sink);
    const { errors } = await anna.graphql('query ($first: Int) { deliveries(first: $first) { id } }', { first });
    expect(errors).toEqual([expect.objectContaining({ message: 'first must be a whole number from 0 to 500' })]);
  });

  test('needs a session', async () => {
    for (const query of ['{ deliveries { id } }', '{ digest { at } }', 'mutation { sendTestMail }']) {
      const { errors } = await service.anonymous.graphql(query);
      expect(errors?.[0]?.extensions.code).toBe('UNAUTHENTICATED');
    }
  });
});
