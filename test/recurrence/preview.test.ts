import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Recurrence } from '../../packages/recurrence/series.ts';
import { summaryOf } from '../../packages/recurrence/summary.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { signUp, type User } from '../kit/users.ts';

interface Shown extends Omit<Recurrence, 'basis'> {
  basis: string;
  summary: string;
  upcoming: { number: number; date: string; dueTime: string | null }[];
}

let service: Service;
let anna: User;
beforeAll(async () => {
  service = await sharedService();
  anna = await signUp(service);
  await anna.patch('/api/v1/user/user-preferences', { timeZone: 'Europe/Berlin' });
});

const preview = (query: Record<string, string>) =>
  anna.get<{ recurrence: Shown }>(`/api/v2/recurrence?${new URLSearchParams(query).toString()}`);

async function shown(query: Record<string, string>): Promise<Shown> {
  const { status, body } = await preview(query);
  expect({ status, body }).toMatchObject({ status: 200 });
  return body.recurrence;
}

const datesOf = ({ upcoming }: Shown) => upcoming.map(({ date }) => date);

describe('GET /api/v2/recurrence', () => {
  test.each([
    ['FREQ=YEARLY;INTERVAL=20', '2030-06-01', ['2050-06-01', '2070-06-01']],
    [
      'FREQ=YEARLY;INTERVAL=10;BYMONTH=5,7',
      '2030-06-01',
      [
        '2030-07-01',
        '2040-05-01',
        '2040-07-01',
        '2050-05-01',
        '2050-07-01',
        '2060-05-01',
        '2060-07-01',
        '2070-05-01',
        '2070-07-01',
        '2080-05-01',
      ],
    ],
    ['FREQ=YEARLY;INTERVAL=10', '0001-06-01', ['0011-06-01', '0021-06-01', '0031-06-01', '0041-06-01', '0051-06-01']],
    ['FREQ=YEARLY;INTERVAL=5;BYMONTH=12', '9989-12-31', ['9994-12-31', '9999-12-31']],
  ])('lists the dates in the 50 years after the date: %s', async (rule, dueDate, dates) => {
    expect(datesOf(await shown({ rule, dueDate, first: '100' }))).toEqual(dates);
  });

  test('shows the recurrence of a task with a due time, as GraphQL does', async () => {
    const query = { rule: 'rrule:freq=weekly;byday=fr,mo', dueDate: '2030-01-04', dueTime: '2030-01-04T08:00:00Z' };
    const recurrence = await shown({ ...query, first: '2' });
    expect(recurrence).toEqual({
      rule: 'FREQ=WEEKLY;BYDAY=MO,FR',
      basis: 'schedule',
      timeZone: 'Europe/Berlin',
      start: '2030-01-04',
      date: '2030-01-04',
      time: '09:00',
      number: 1,
      seriesId: null,
      summary: 'Every week on Monday and Friday',
      upcoming: [
        { number: 2, date: '2030-01-07', dueTime: '2030-01-07T08:00:00.000Z' },
        { number: 3, date: '2030-01-11', dueTime: '2030-01-11T08:00:00.000Z' },
      ],
    });
    const { previewRecurrence } = await anna.data<{ previewRecurrence: object }>(
      `query ($input: RecurrenceInput!, $dueDate: Date, $dueTime: DateTime) {
        previewRecurrence(input: $input, dueDate: $dueDate, dueTime: $dueTime) {
          rule basis timeZone start date time number seriesId summary upcoming(first: 2) { number date dueTime }
        }
      }`,
      { input: { rule: query.rule }, dueDate: query.dueDate, dueTime: query.dueTime },
    );
    expect(previewRecurrence).toEqual({ ...recurrence, basis: 'SCHEDULE' });
  });

  test.each<[string, Record<string, string>, string[]]>([
    [
      'monthly on the 31st',
      { rule: 'FREQ=MONTHLY', dueDate: '2030-01-31' },
      ['2030-03-31', '2030-05-31', '2030-07-31'],
    ],
    [
      "the console's Every month from the 31st",
      { rule: 'FREQ=MONTHLY;BYMONTHDAY=28,29,30,31;BYSETPOS=-1', dueDate: '2030-01-31' },
      ['2030-02-28', '2030-03-31', '2030-04-30'],
    ],
    [
      'the last weekday',
      { rule: 'FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1', dueDate: '2030-01-31' },
      ['2030-02-28', '2030-03-29', '2030-04-30'],
    ],
    [
      'a start that does not fit',
      { rule: 'FREQ=WEEKLY;BYDAY=MO', dueDate: '2030-01-01' },
      ['2030-01-07', '2030-01-14', '2030-01-21'],
    ],
    ['three in all', { rule: 'FREQ=DAILY;COUNT=3', dueDate: '2030-01-01' }, ['2030-01-02', '2030-01-03']],
    ['only one', { rule: 'FREQ=DAILY;COUNT=1', dueDate: '2030-01-01' }, []],
    [
      'a month after each completion',
      { rule: 'FREQ=MONTHLY', basis: 'completion', dueDate: '2030-01-31' },
      ['2030-02-28', '2030-03-28', '2030-04-28'],
    ],
    ['19 years ahead', { rule: 'FREQ=YEARLY;INTERVAL=19', dueDate: '2030-01-01' }, ['2049-01-01', '2068-01-01']],
    ['until a day', { rule: 'FREQ=DAILY;UNTIL=20300103', dueDate: '2030-01-01' }, ['2030-01-02', '2030-01-03']],
    ['29 February', { rule: 'FREQ=YEARLY', dueDate: '2096-02-29' }, ['2104-02-29', '2108-02-29', '2112-02-29']],
    ['the end of time', { rule: 'FREQ=DAILY', dueDate: '9999-12-30' }, ['9999-12-31']],
  ])('lists the next dates: %s', async (_name, query, dates) => {
    expect(datesOf(await shown({ ...query, first: '3' }))).toEqual(dates);
  });

  test('counts the position of the due date from the start', async () => {
    const rule = { rule: 'FREQ=WEEKLY;BYDAY=TU,TH;COUNT=5', start: '2030-01-01', dueDate: '2030-01-10' };
    const recurrence = await shown(rule);
    expect(recurrence).toMatchObject({ start: '2030-01-01', date: '2030-01-10', number: 4 });
    expect(recurrence.upcoming).toEqual([{ number: 5, date: '2030-01-15', dueTime: null }]);
  });

  test('is local to its zone: Monday evening in Los Angeles is Tuesday in UTC', async () => {
    const recurrence = await shown({
      rule: 'FREQ=WEEKLY;BYDAY=MO',
      timeZone: 'America/Los_Angeles',
      dueTime: '2030-01-08T04:00:30Z',
      first: '1',
    });
    expect(recurrence).toMatchObject({ date: '2030-01-07', time: '20:00:30', timeZone: 'America/Los_Angeles' });
    expect(recurrence.upcoming).toEqual([{ number: 2, date: '2030-01-14', dueTime: '2030-01-15T04:00:30.000Z' }]);
  });

  test('shows the last local day of an UNTIL with a time', async () => {
    const until = { rule: 'FREQ=DAILY;UNTIL=20300103T075959Z', dueTime: '2030-01-01T08:00:00Z' };
    expect(await shown(until)).toMatchObject({ rule: 'FREQ=DAILY;UNTIL=20300102' });
  });

  test('lists no time after the year 9999', async () => {
    const query = { rule: 'FREQ=DAILY', timeZone: 'America/Los_Angeles', dueTime: '9999-12-30T02:00:00Z' };
    expect((await shown(query)).upcoming).toEqual([
      { number: 2, date: '9999-12-30', dueTime: '9999-12-31T02:00:00.000Z' },
    ]);
  });

  test('without a due date begins on the first day from today that fits', async () => {
    const [{ today } = { today: '' }] = await service.sql<{ today: string }>(
      `SELECT to_char(now() AT TIME ZONE 'Europe/Berlin', 'YYYY-MM-DD') AS today`,
    );
    expect(await shown({ rule: 'FREQ=DAILY;INTERVAL=3' })).toMatchObject({ start: today, date: today, time: null });
    const completion = await shown({ rule: 'FREQ=DAILY;INTERVAL=3', basis: 'completion' });
    expect(completion).toMatchObject({ date: today, summary: '3 days after completion' });
    const monday = await shown({ rule: 'FREQ=WEEKLY;INTERVAL=2;BYDAY=MO' });
    expect(new Date(monday.date).getUTCDay()).toBe(1);
    expect(Date.parse(monday.date) - Date.parse(today)).toBeLessThan(7 * 86_400_000);
    expect(await shown({ rule: 'FREQ=WEEKLY;BYDAY=MO', start: '2999-01-01' })).toMatchObject({ date: '2999-01-07' });
    // Each second day from the start.
    const { date } = await shown({ rule: 'FREQ=DAILY;INTERVAL=2', start: '2026-01-01' });
    expect(((Date.parse(date) - Date.parse('2026-01-01')) / 86_400_000) % 2).toBe(0);
  });

  test.each<[string, Record<string, string>]>([
    ['rule', { rule: '' }],
    ['rule', { rule: 'FREQ=HOURLY' }],
    ['rule', { rule: 'FREQ=DAILY\u0000' }],
    ['rule', { rule: 'FREQ=DAILY;BYSETPOS=1' }],
    ['rule', { rule: 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30' }],
    ['rule', { rule: 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30', dueDate: '2030-01-01' }],
    ['rule', { rule: 'FREQ=YEARLY;INTERVAL=21', dueDate: '2030-01-01' }],
    ['rule', { rule: 'FREQ=DAILY;UNTIL=20291231', dueDate: '2030-01-01' }],
    ['rule', { rule: 'FREQ=DAILY;COUNT=3', start: '2030-01-01', dueDate: '2030-01-04' }],
    ['rule', { rule: 'FREQ=WEEKLY;BYDAY=MO', basis: 'completion' }],
    ['rule', { rule: 'FREQ=WEEKLY;WKST=SU', basis: 'completion' }],
    ['basis', { rule: 'FREQ=DAILY', basis: 'SCHEDULE' }],
    ['timeZone', { rule: 'FREQ=DAILY', timeZone: 'Europe/Nowhere' }],
    ['timeZone', { rule: 'FREQ=DAILY', timeZone: '' }],
    ['timeZone', { rule: 'FREQ=DAILY', timeZone: 'America/Los_Angeles', dueTime: '0001-01-01T00:00:00Z' }],
    ['timeZone', { rule: 'FREQ=DAILY', timeZone: 'Asia/Tokyo', dueTime: '9999-12-31T23:00:00Z' }],
    ['timeZone', { rule: 'FREQ=DAILY', dueDate: '2030-01-01', dueTime: '2030-01-01T23:30:00Z' }],
    ['start', { rule: 'FREQ=DAILY', start: '2030-02-30' }],
    ['start', { rule: 'FREQ=DAILY', start: '2030-01-02', dueDate: '2030-01-01' }],
    ['start', { rule: 'FREQ=DAILY', start: '2009-12-31', dueDate: '2030-01-01' }],
    ['dueDate', { rule: 'FREQ=DAILY', dueDate: 'tomorrow' }],
    ['dueTime', { rule: 'FREQ=DAILY', dueTime: 'soon' }],
    ['first', { rule: 'FREQ=DAILY', first: '101' }],
  ])('refuses a bad %s: %j', async (path, query) => {
    expect(await preview(query)).toMatchObject({ status: 400, body: { errors: [{ path }] } });
  });
});

test.each([
  ['input.rule', 'input: { rule: "FREQ=DAILY;BYHOUR=9" }'],
  ['input.timeZone', 'input: { rule: "FREQ=DAILY", timeZone: "Mars" }'],
  ['input.start', 'input: { rule: "FREQ=DAILY", start: "2030-01-02" }, dueDate: "2030-01-01"'],
])('previewRecurrence refuses %s', async (path, args) => {
  const { errors } = await anna.graphql(`{ previewRecurrence(${args}) { rule } }`);
  expect(errors).toMatchObject([{ extensions: { code: 'VALIDATION_FAILED', errors: [{ path }] } }]);
});

test('upcoming takes 0 to 100, and previews need a session', async () => {
  const rule = 'previewRecurrence(input: { rule: "FREQ=DAILY" })';
  expect(await anna.data(`{ ${rule} { upcoming(first: 0) { date } } }`)).toEqual({
    previewRecurrence: { upcoming: [] },
  });
  const { errors } = await anna.graphql(`{ ${rule} { upcoming(first: 101) { date } } }`);
  expect(errors).toMatchObject([{ extensions: { code: 'VALIDATION_FAILED', errors: [{ path: 'first' }] } }]);
  expect(await service.anonymous.get('/api/v2/recurrence?rule=FREQ=DAILY')).toMatchObject({ status: 401 });
});

test.each([
  ['FREQ=DAILY', 'SCHEDULE', 'Every day'],
  ['FREQ=DAILY;INTERVAL=3', 'SCHEDULE', 'Every 3 days'],
  ['FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR', 'SCHEDULE', 'Every weekday'],
  ['FREQ=DAILY;BYDAY=MO,TU,WE,TH,FR', 'SCHEDULE', 'Every weekday'],
  ['FREQ=WEEKLY', 'SCHEDULE', 'Every week on Sunday'],
  ['FREQ=WEEKLY;BYDAY=MO,WE,FR', 'SCHEDULE', 'Every week on Monday, Wednesday and Friday'],
  ['FREQ=WEEKLY;INTERVAL=2;BYDAY=MO', 'SCHEDULE', 'Every 2 weeks on Monday'],
  ['FREQ=MONTHLY', 'SCHEDULE', 'Every month on the 25th'],
  ['FREQ=MONTHLY;BYMONTHDAY=1,15', 'SCHEDULE', 'Every month on the 1st and 15th'],
  [
    'FREQ=MONTHLY;BYMONTHDAY=2,3,11,12,13,22,23,31',
    'SCHEDULE',
    'Every month on the 2nd, 3rd, 11th, 12th, 13th, 22nd, 23rd and 31st',
  ],
  ['FREQ=MONTHLY;BYMONTHDAY=-1', 'SCHEDULE', 'Every month on the last day'],
  ['FREQ=MONTHLY;BYMONTHDAY=28,29,30;BYSETPOS=-1', 'SCHEDULE', 'Every month on the 30th or the last day before'],
  ['FREQ=MONTHLY;BYDAY=2TU', 'SCHEDULE', 'Every month on the second Tuesday'],
  ['FREQ=MONTHLY;BYDAY=TU;BYSETPOS=2', 'SCHEDULE', 'Every month on the second Tuesday'],
  ['FREQ=MONTHLY;BYDAY=-1FR', 'SCHEDULE', 'Every month on the last Friday'],
  ['FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1', 'SCHEDULE', 'Every month on the last weekday'],
  ['FREQ=YEARLY', 'SCHEDULE', 'Every year on 25 November'],
  ['FREQ=YEARLY;INTERVAL=2;BYMONTH=2;BYMONTHDAY=29', 'SCHEDULE', 'Every 2 years on 29 February'],
  ['FREQ=DAILY;COUNT=10', 'SCHEDULE', 'Every day, 10 times'],
  ['FREQ=DAILY;UNTIL=20261224', 'EACH', 'Every day, until 24 December 2026, each date'],
  ['FREQ=DAILY;INTERVAL=3', 'COMPLETION', '3 days after completion'],
  ['FREQ=WEEKLY', 'COMPLETION', '1 week after completion'],
  ['FREQ=MONTHLY;BYMONTHDAY=13;BYDAY=FR', 'SCHEDULE', 'By the rule FREQ=MONTHLY;BYMONTHDAY=13;BYDAY=FR'],
  ['FREQ=MONTHLY;BYMONTHDAY=-2,1', 'SCHEDULE', 'By the rule FREQ=MONTHLY;BYMONTHDAY=-2,1'],
  ['FREQ=MONTHLY;BYDAY=MO,TU;BYSETPOS=1', 'SCHEDULE', 'By the rule FREQ=MONTHLY;BYDAY=MO,TU;BYSETPOS=1'],
  ['FREQ=MONTHLY;BYDAY=-2FR;COUNT=4', 'EACH', 'By the rule FREQ=MONTHLY;BYDAY=-2FR;COUNT=4, each date'],
] as const)('the summary of %s by %s is "%s"', (rule, basis, summary) => {
  expect(summaryOf({ rule, basis, start: '2029-11-25' })).toBe(summary);
});
