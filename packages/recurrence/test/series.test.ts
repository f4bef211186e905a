import { describe, expect, test } from '@jest/globals';
import { dueOf, movedTime, nextId, nextOf, occurrencesAfter, type Recurrence, seriesIdOf } from '../series.ts';

/** The first occurrence of a series. */
function first(rule: string, date: string, fields: Partial<Recurrence> = {}): Recurrence {
  const zoned = { basis: 'SCHEDULE', timeZone: 'Europe/Berlin', time: null } as const;
  return { rule, ...zoned, start: date, date, number: 1, seriesId: null, ...fields };
}

/** Number and date of the next occurrence. @param on the day of the completion @param created of the task */
function next(series: Recurrence, now: string, on?: string, created = '2030-01-01T12:00:00Z'): string | undefined {
  const found = nextOf(series, new Date(now), { on, created: new Date(created) });
  return found && `${found.number}: ${found.date}`;
}

/** The occurrences of a series if each is completed at a moment. */
function completedAt(series: Recurrence, moments: readonly string[]): string[] {
  const shown = [];
  let current: Recurrence | undefined = series;
  for (const moment of moments) {
    current = current && nextOf(current, new Date(moment));
    shown.push(current ? `${current.number}: ${current.date}` : 'none');
  }
  return shown;
}

describe('the next occurrence', () => {
  const kiritimati = { timeZone: 'Pacific/Kiritimati' };
  const pagoPago = { timeZone: 'Pacific/Pago_Pago' };
  test.each([
    ['one minute before the day after', '2030-01-01', kiritimati, '2030-02-20T09:59:59Z', '51: 2030-02-20'],
    ['on the day after', '2030-01-01', kiritimati, '2030-02-20T10:00:00Z', '52: 2030-02-21'],
    ['if today is done', '2030-02-20', kiritimati, '2030-02-20T09:59:59Z', '2: 2030-02-21'],
    ['one minute before the day after', '2030-01-01', pagoPago, '2030-02-20T10:59:59Z', '50: 2030-02-19'],
    ['on the day after', '2030-01-01', pagoPago, '2030-02-20T11:00:00Z', '51: 2030-02-20'],
    ['if today is done', '2030-02-19', pagoPago, '2030-02-20T10:59:59Z', '2: 2030-02-20'],
    ['three days late, before 09:00', '2030-06-01', { time: '09:00' }, '2030-06-04T06:40:00Z', '4: 2030-06-04'],
    ['three days late, at 09:00', '2030-06-01', { time: '09:00' }, '2030-06-04T07:00:00Z', '5: 2030-06-05'],
    ['three days late, after 09:00', '2030-06-01', { time: '09:00' }, '2030-06-04T07:20:00Z', '5: 2030-06-05'],
    ['before 09:00, and done', '2030-06-04', { time: '09:00' }, '2030-06-04T06:40:00Z', '2: 2030-06-05'],
    ['a week early', '2030-06-11', {}, '2030-06-04T07:20:00Z', '2: 2030-06-12'],
  ])('of each day is today, if it is not over: %s, from %s, %j', (_case, date, fields, now, shown) => {
    expect(next(first('FREQ=DAILY', date, fields), now)).toBe(shown);
  });

  test('is each date by EACH, past or not', () => {
    const rent = first('FREQ=MONTHLY', '2030-01-01', { basis: 'EACH', time: '09:00' });
    const may = '2030-05-10T12:00:00Z';
    const each = ['2: 2030-02-01', '3: 2030-03-01', '4: 2030-04-01', '5: 2030-05-01', '6: 2030-06-01', '7: 2030-07-01'];
    expect(
      completedAt(
        rent,
        each.map(() => may),
      ),
    ).toEqual(each);
  });

  test('follows the local day of the completion by COMPLETION', () => {
    const plants = first('FREQ=DAILY;INTERVAL=2', '2030-06-20', { basis: 'COMPLETION', timeZone: 'America/New_York' });
    expect(next(plants, '2030-07-02T03:56:00Z')).toBe('2: 2030-07-03');
    expect(next(plants, '2030-07-02T04:00:00Z')).toBe('2: 2030-07-04');
    expect(next(plants, '2030-07-02T04:00:00Z', '2030-06-21')).toBe('2: 2030-06-23');
    // Later than today, and earlier than the creation.
    expect(next(plants, '2030-07-02T03:56:00Z', '2030-07-02')).toBe('2: 2030-07-03');
    expect(next(plants, '2030-07-02T04:00:00Z', '2030-06-21', '2030-06-30T03:56:00Z')).toBe('2: 2030-07-01');
    expect(next({ ...plants, time: '09:00' }, '2030-06-19T04:00:00Z')).toBe('2: 2030-06-21');
    const monthly = first('FREQ=MONTHLY', '2030-01-31', { basis: 'COMPLETION' });
    const days = ['2030-01-31T12:00:00Z', '2030-02-28T12:00:00Z', '2030-03-31T12:00:00Z'];
    expect(completedAt(monthly, days)).toEqual(['2: 2030-02-28', '3: 2030-03-28', '4: 2030-04-30']);
  });

  test.each([
    ['FREQ=DAILY;COUNT=3', {}, ['2030-01-01', '2030-01-02', '2030-01-03'], ['2: 2030-01-02', '3: 2030-01-03', 'none']],
    // The first two dates are missed.
    ['FREQ=DAILY;COUNT=4', {}, ['2030-01-03', '2030-01-03', '2030-01-04'], ['3: 2030-01-03', '4: 2030-01-04', 'none']],
    ['FREQ=DAILY;COUNT=4', {}, ['2030-01-05'], ['none']],
    [
      'FREQ=DAILY;COUNT=3',
      { basis: 'EACH' },
      ['2030-02-01', '2030-02-01', '2030-02-01'],
      ['2: 2030-01-02', '3: 2030-01-03', 'none'],
    ],
    ['FREQ=DAILY;COUNT=2', { basis: 'COMPLETION' }, ['2030-02-01', '2030-02-02'], ['2: 2030-02-02', 'none']],
    [
      'FREQ=DAILY;UNTIL=20300103',
      {},
      ['2030-01-02', '2030-01-03', '2030-01-03'],
      ['2: 2030-01-02', '3: 2030-01-03', 'none'],
    ],
    ['FREQ=DAILY;UNTIL=20300103', { basis: 'COMPLETION' }, ['2030-01-02', '2030-01-03'], ['2: 2030-01-03', 'none']],
  ] as const)('ends with the rule: %s, %j', (rule, fields, days, shown) => {
    const moments = days.map((day) => `${day}T12:00:00Z`);
    expect(completedAt(first(rule, '2030-01-01', fields), moments)).toEqual(shown);
  });

  test.each([
    ['FREQ=MONTHLY', ['2: 2030-03-31', '3: 2030-05-31', '4: 2030-07-31']],
    ['FREQ=MONTHLY;BYMONTHDAY=28,29,30,31;BYSETPOS=-1', ['2: 2030-02-28', '3: 2030-03-31', '4: 2030-04-30']],
    ['FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1', ['2: 2030-02-28', '3: 2030-03-29', '4: 2030-04-30']],
  ])('does not drift from the 31st: %s', (rule, shown) => {
    const days = ['2030-01-31T12:00:00Z', ...shown.slice(0, -1).map((each) => `${each.slice(3)}T12:00:00Z`)];
    expect(completedAt(first(rule, '2030-01-31'), days)).toEqual(shown);
  });
});

describe('the moment of an occurrence', () => {
  test.each([
    ['02:30', '2030-03-30', '2030-03-30T02:30:00+01:00'],
    // The clocks skip 02:30.
    ['02:30', '2030-03-31', '2030-03-31T03:30:00+02:00'],
    ['02:30', '2030-04-01', '2030-04-01T02:30:00+02:00'],
    // 02:30 comes twice.
    ['02:30', '2030-10-27', '2030-10-27T02:30:00+02:00'],
    ['02:30', '2030-10-28', '2030-10-28T02:30:00+01:00'],
    ['09:00:30', '2030-01-01', '2030-01-01T09:00:30+01:00'],
  ])('is at %s in Berlin: %s', (time, date, moment) => {
    expect(dueOf(first('FREQ=DAILY', date, { time }))).toEqual({ date, time: new Date(moment) });
  });

  test('stays on Monday in Los Angeles', () => {
    const series = first('FREQ=WEEKLY;BYDAY=MO', '2030-03-04', { time: '20:00', timeZone: 'America/Los_Angeles' });
    const moments = ['2030-03-05T04:00:00Z', '2030-03-12T03:00:00Z', '2030-03-19T03:00:00Z'];
    let current: Recurrence | undefined = series;
    for (const moment of moments) {
      expect(current && dueOf(current).time).toEqual(new Date(moment));
      current = current && nextOf(current, new Date(moment));
    }
  });

  test('is none for a whole day', () => {
    expect(dueOf(first('FREQ=DAILY', '2030-01-01'))).toEqual({ date: '2030-01-01', time: null });
  });
});

test('upcoming dates are counted, and end with the rule', () => {
  const series = first('FREQ=DAILY;COUNT=5', '2030-01-01', { date: '2030-01-03', number: 3 });
  const shown = [
    { number: 4, date: '2030-01-04' },
    { number: 5, date: '2030-01-05' },
  ];
  expect([...occurrencesAfter(series)]).toMatchObject(shown);
  expect([...occurrencesAfter({ ...series, basis: 'COMPLETION' })]).toMatchObject(shown);
  expect([...occurrencesAfter(series, '2030-01-05')]).toMatchObject(shown.slice(1));
});

test('a series has the id of its first task', () => {
  expect(seriesIdOf('task_01k0000000e9r8d4m2xq7v5t6w')).toBe('seri_01k0000000e9r8d4m2xq7v5t6w');
});

test('no occurrence and no moved time is outside of the years 1 to 9999', () => {
  const losAngeles = { timeZone: 'America/Los_Angeles', time: '18:00' };
  expect(next(first('FREQ=DAILY', '9999-12-29', losAngeles), '2030-01-01T12:00:00Z')).toBe('2: 9999-12-30');
  expect(next(first('FREQ=DAILY', '9999-12-30', losAngeles), '2030-01-01T12:00:00Z')).toBeUndefined();
  expect(next(first('FREQ=DAILY', '9999-12-30'), '2030-01-01T12:00:00Z')).toBe('2: 9999-12-31');
  expect(next(first('FREQ=DAILY', '9999-12-31'), '2030-01-01T12:00:00Z')).toBeUndefined();
  const moved = (moment: string, days: number, timeZone: string) =>
    movedTime(new Date(moment), days, timeZone).toISOString();
  expect(moved('9999-12-31T02:00:00Z', 1, 'America/Los_Angeles')).toBe('9999-12-31T23:59:59.999Z');
  expect(moved('9999-12-30T12:00:00Z', 1, 'UTC')).toBe('9999-12-31T12:00:00.000Z');
  expect(moved('9999-12-31T12:00:00Z', 1, 'UTC')).toBe('9999-12-31T12:00:00.000Z');
  expect(moved('0001-01-01T15:30:00Z', -1, 'Asia/Tokyo')).toBe('0001-01-01T00:00:00.000Z');
  expect(moved('0001-01-02T12:00:00Z', -1, 'UTC')).toBe('0001-01-01T12:00:00.000Z');
  expect(moved('0001-01-01T12:00:00Z', -1, 'UTC')).toBe('0001-01-01T12:00:00.000Z');
});

test('a moved time stays the same local time', () => {
  const moved = movedTime(new Date('2030-03-30T07:30:15Z'), 1, 'Europe/Berlin');
  expect(moved).toEqual(new Date('2030-03-31T06:30:15Z'));
});

test.each([
  ['task_01k0000000e9r8d4m2xq7v5t6w', 'task_01k0000000e9r8d4m2xq7v5t6x'],
  ['task_01k0000000000000000000000h', 'task_01k0000000000000000000000j'],
  ['task_01k00000000000000000000009', 'task_01k0000000000000000000000a'],
  ['task_01k0000000000000000000012z', 'task_01k00000000000000000000130'],
  ['task_01k00000000yzzzzzzzzzzzzzz', 'task_01k00000000yzz000000000000'],
  ['task_01k00000000000zzzzzzzzzzzz', 'task_01k00000000000000000000000'],
])('the id after %s is %s', (id, after) => {
  expect(nextId(id)).toBe(after);
});
