import { describe, expect, test } from '@jest/globals';
import { RuleError } from '../rule.ts';
import { type Due, type RecurrenceInput, setSeries } from '../series.ts';

const now = new Date('2030-01-10T12:00:00Z');
type Current = Parameters<typeof setSeries>[2]['current'];
const due = (date: string | null, time?: string): Due => ({ date, time: time === undefined ? null : new Date(time) });
const shownAs = ({ recurrence, due: at }: ReturnType<typeof setSeries>) => ({
  ...recurrence,
  due: [at.date, at.time?.toISOString() ?? null],
});
const set = (input: RecurrenceInput, at: Due, current: Current = null) =>
  shownAs(setSeries(input, at, { current, now, zone: 'Europe/Berlin' }));

describe('a new series', () => {
  test('has the due date and time of the task in the zone of the caller', () => {
    expect(set({ rule: 'freq=daily' }, due('2030-01-02', '2030-01-01T23:30:30.123Z'))).toEqual({
      rule: 'FREQ=DAILY',
      basis: 'SCHEDULE',
      timeZone: 'Europe/Berlin',
      start: '2030-01-02',
      date: '2030-01-02',
      time: '00:30:30',
      number: 1,
      seriesId: null,
      due: ['2030-01-02', '2030-01-01T23:30:30.123Z'],
    });
    const given = { rule: 'FREQ=DAILY', basis: 'EACH', timeZone: 'Asia/Tokyo' } as const;
    expect(set(given, due(null, '2030-01-01T15:30:00Z'))).toMatchObject({
      ...given,
      date: '2030-01-02',
      time: '00:30',
      due: ['2030-01-02', '2030-01-01T15:30:00.000Z'],
    });
  });

  test.each([
    ['FREQ=DAILY;INTERVAL=3', '2030-01-01', '2030-01-07', 3],
    ['FREQ=WEEKLY;BYDAY=TU,TH', '2030-01-01', '2030-01-10', 4],
    // The due date is between two dates of the rule, or behind the last one.
    ['FREQ=WEEKLY;BYDAY=TU', '2030-01-01', '2030-01-09', 3],
    ['FREQ=DAILY;COUNT=9', '2030-01-01', '2030-01-09', 9],
    ['FREQ=DAILY;UNTIL=20300109', '2030-01-01', '2030-01-09', 9],
    // After 2048, the rule has no date in 20 years.
    ['FREQ=YEARLY;INTERVAL=19;BYMONTH=2;BYMONTHDAY=29', '2029-01-01', '2049-01-01', 3],
  ])('counts from its start: %s', (rule, start, date, number) => {
    expect(set({ rule, start }, due(date))).toMatchObject({ start, date, number });
  });

  test.each<[string, RecurrenceInput, string]>([
    ['today', { rule: 'FREQ=DAILY;INTERVAL=3' }, '2030-01-10'],
    ['any interval', { rule: 'FREQ=WEEKLY;INTERVAL=2;BYDAY=MO' }, '2030-01-14'],
    ['from a start', { rule: 'FREQ=DAILY;INTERVAL=3', start: '2030-01-02' }, '2030-01-11'],
    ['from a later start', { rule: 'FREQ=WEEKLY;BYDAY=MO', start: '2030-02-01' }, '2030-02-04'],
    ['today, by COMPLETION', { rule: 'FREQ=MONTHLY', basis: 'COMPLETION', start: '2030-01-02' }, '2030-01-10'],
    ['a later start, by COMPLETION', { rule: 'FREQ=MONTHLY', basis: 'COMPLETION', start: '2030-02-02' }, '2030-02-02'],
  ])('without a due date begins on the first day that fits: %s', (_case, input, date) => {
    expect(set(input, due(null))).toMatchObject({ start: input.start ?? date, date, time: null, due: [date, null] });
  });

  test.each([
    ['20300103', null, 'UTC', '20300103'],
    ['20300103', '2030-01-01T09:00:00Z', 'UTC', '20300103'],
    ['20300103T090000', '2030-01-01T09:00:00Z', 'UTC', '20300103'],
    ['20300103T085959', '2030-01-01T09:00:00Z', 'UTC', '20300102'],
    ['20300103T085959', '2030-01-01T08:59:59Z', 'UTC', '20300103'],
    ['20300103T090000', '2030-01-01T09:00:01Z', 'UTC', '20300102'],
    ['20300103T000000', null, 'America/New_York', '20300103'],
    ['20300103T140000Z', '2030-01-01T14:00:00Z', 'America/New_York', '20300103'],
    ['20300103T135959Z', '2030-01-01T14:00:00Z', 'America/New_York', '20300102'],
    ['20300103T045959Z', null, 'America/New_York', '20300102'],
    ['20300103T050000Z', null, 'America/New_York', '20300103'],
    ['20300103T095959Z', null, 'Pacific/Kiritimati', '20300103'],
    ['20300103T100000Z', null, 'Pacific/Kiritimati', '20300104'],
    ['99991231T235959Z', null, 'Pacific/Kiritimati', '99991231'],
    // The clocks skip 02:30 on 31 March, and repeat it on 27 October.
    ['20300331T012959Z', '2030-01-01T01:30:00Z', 'Europe/Berlin', '20300330'],
    ['20300331T013000Z', '2030-01-01T01:30:00Z', 'Europe/Berlin', '20300331'],
    ['20300331T023000', '2030-01-01T01:30:00Z', 'Europe/Berlin', '20300331'],
    ['20301027T003000Z', '2030-01-01T01:30:00Z', 'Europe/Berlin', '20301027'],
    ['20301027T010000Z', '2030-01-01T01:30:00Z', 'Europe/Berlin', '20301027'],
    ['20301027T002959Z', '2030-01-01T01:30:00Z', 'Europe/Berlin', '20301026'],
  ])('makes of UNTIL=%s at %s in %s the day %s', (until, time, timeZone, day) => {
    const at = time === null ? due('2030-01-01') : due('2030-01-01', time);
    expect(set({ rule: `FREQ=DAILY;UNTIL=${until}`, timeZone }, at).rule).toBe(`FREQ=DAILY;UNTIL=${day}`);
  });

  test.each<[string, string, RecurrenceInput, Due]>([
    ['rule', 'BYHOUR', { rule: 'FREQ=DAILY;BYHOUR=9' }, due('2030-01-01')],
    [
      'rule',
      'BYDAY with the basis COMPLETION',
      { rule: 'FREQ=WEEKLY;BYDAY=MO', basis: 'COMPLETION' },
      due('2030-01-01'),
    ],
    ['rule', 'WKST with the basis COMPLETION', { rule: 'FREQ=WEEKLY;WKST=SU', basis: 'COMPLETION' }, due('2030-01-01')],
    ['rule', 'WKST with the basis COMPLETION', { rule: 'wkst=mo;freq=weekly', basis: 'COMPLETION' }, due('2030-01-01')],
    ['rule', 'the next 20 years', { rule: 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30' }, due(null)],
    ['rule', 'the 20 years after 2030-01-01', { rule: 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30' }, due('2030-01-01')],
    ['rule', 'UNTIL before 2030-01-01', { rule: 'FREQ=DAILY;UNTIL=20291231' }, due('2030-01-01')],
    ['rule', 'the 20 years after 2030-01-01', { rule: 'FREQ=DAILY;UNTIL=20300101' }, due('2030-01-01')],
    ['rule', 'UNTIL before 2030-01-04', { rule: 'FREQ=DAILY;UNTIL=20300103', start: '2030-01-01' }, due('2030-01-04')],
    ['rule', 'COUNT of at least 4', { rule: 'FREQ=DAILY;COUNT=3', start: '2030-01-01' }, due('2030-01-04')],
    ['start', 'after the due date, 2030-01-01', { rule: 'FREQ=DAILY', start: '2030-01-02' }, due('2030-01-01')],
    ['start', '20 years before 2030-01-01', { rule: 'FREQ=DAILY', start: '2009-12-31' }, due('2030-01-01')],
    ['timeZone', 'on 2030-01-01', { rule: 'FREQ=DAILY' }, due('2030-01-01', '2030-01-01T23:30:00Z')],
    ['timeZone', 'on 2030-01-01', { rule: 'FREQ=DAILY' }, due('2030-01-01', '2030-01-02T12:00:00Z')],
    ['timeZone', '1 to 9999', { rule: 'FREQ=DAILY', timeZone: 'America/New_York' }, due(null, '0001-01-01T00:00:00Z')],
    ['timeZone', '1 to 9999', { rule: 'FREQ=DAILY', timeZone: 'Asia/Tokyo' }, due(null, '9999-12-31T23:00:00Z')],
  ])('is refused at %s: %s', (field, message, input, at) => {
    const refused = () => set(input, at);
    expect(refused).toThrow(RuleError);
    expect(refused).toThrow(expect.objectContaining({ field, message: expect.stringContaining(message) }));
  });

  test.each([
    ['0001-01-01T05:00:00Z', 'Asia/Tokyo'],
    ['9999-12-31T22:00:00Z', 'America/Los_Angeles'],
  ])('is refused at timeZone if the same local time as %s is in another year there: %s', (time, timeZone) => {
    const [input, at] = [{ rule: 'FREQ=DAILY;COUNT=1' }, due(time.slice(0, 10), time)];
    const current = set({ ...input, timeZone: 'UTC' }, at);
    expect(() => set({ ...input, timeZone }, at, current)).toThrow(expect.objectContaining({ field: 'timeZone' }));
  });

  test('may be moved to the first moment by another zone', () => {
    const [rule, at] = ['FREQ=DAILY;COUNT=1', due('0001-01-01', '0001-01-01T04:56:02Z')];
    const current = set({ rule, timeZone: 'America/New_York' }, at);
    expect(set({ rule, timeZone: 'UTC' }, at, current).due).toEqual(['0001-01-01', '0001-01-01T00:00:00.000Z']);
  });

  test.each<[RecurrenceInput, Due]>([
    [{ rule: 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30;COUNT=1' }, due('2030-01-01')],
    [{ rule: 'FREQ=DAILY;UNTIL=20300101;INTERVAL=2' }, due('2029-12-30')],
    [{ rule: 'FREQ=DAILY', start: '2010-01-01' }, due('2030-01-01')],
    [{ rule: 'FREQ=DAILY', start: '0001-01-01' }, due('0010-01-01')],
    [{ rule: 'FREQ=DAILY', start: '0010-01-01' }, due('0030-01-01')],
    [{ rule: 'FREQ=DAILY' }, due('0001-01-01', '0001-01-01T12:00:00Z')],
    [{ rule: 'FREQ=DAILY' }, due('9999-12-30', '9999-12-30T12:00:00Z')],
  ])('may be at its limits: %j, %j', (input, at) => {
    expect(set(input, at)).toMatchObject({ date: at.date });
  });
});

describe('setting a recurrence again', () => {
  const current = {
    rule: 'FREQ=WEEKLY;BYDAY=MO,TH',
    basis: 'EACH',
    timeZone: 'America/New_York',
    start: '2030-01-03',
    date: '2030-01-10',
    time: '20:00',
    number: 3,
    seriesId: 'seri_01k0000000e9r8d4m2xq7v5t6w',
  } as const;
  const at = due('2030-01-10', '2030-01-11T01:00:00Z');
  const kept = { ...current, due: ['2030-01-10', '2030-01-11T01:00:00.000Z'] };
  const restarted = { ...kept, start: current.date, number: 1 };

  test.each<[string, RecurrenceInput, object]>([
    ['changes nothing', { rule: 'RRULE:freq=weekly;byday=th,mo' }, kept],
    ['changes nothing with the same start', { rule: current.rule, start: '2030-01-03' }, kept],
    ['with another basis keeps the rest', { rule: current.rule, basis: 'SCHEDULE' }, { ...kept, basis: 'SCHEDULE' }],
    [
      'with another zone keeps the local time',
      { rule: current.rule, timeZone: 'Asia/Tokyo' },
      { ...kept, timeZone: 'Asia/Tokyo', due: ['2030-01-10', '2030-01-10T11:00:00.000Z'] },
    ],
    ['with another rule starts again', { rule: 'FREQ=DAILY' }, { ...restarted, rule: 'FREQ=DAILY' }],
    [
      'with another rule and zone starts again at the same local time',
      { rule: 'FREQ=DAILY', timeZone: 'Asia/Tokyo' },
      { ...restarted, rule: 'FREQ=DAILY', timeZone: 'Asia/Tokyo', due: ['2030-01-10', '2030-01-10T11:00:00.000Z'] },
    ],
    [
      'with another start counts again',
      { rule: current.rule, start: '2030-01-07' },
      { ...kept, start: '2030-01-07', number: 2 },
    ],
  ])('%s', (_name, input, shown) => {
    expect(set(input, at, current)).toEqual(shown);
  });

  test('does not see milliseconds, nor which of two equal local times it is', () => {
    const exact = due('2030-01-10', '2030-01-11T01:00:00.789Z');
    expect(set({ rule: current.rule }, exact, current)).toMatchObject({
      number: 3,
      due: ['2030-01-10', '2030-01-11T01:00:00.789Z'],
    });
    const night = {
      ...current,
      date: '2030-11-03',
      time: '01:30',
      start: '2030-10-31',
      number: 2,
      rule: 'FREQ=DAILY;INTERVAL=3',
    };
    for (const time of ['2030-11-03T05:30:00Z', '2030-11-03T06:30:00Z']) {
      expect(set({ rule: night.rule }, due('2030-11-03', time), night)).toMatchObject({ number: 2, time: '01:30' });
    }
  });

  test.each<[string, Due, object]>([
    ['the date', due('2030-01-11', '2030-01-12T01:00:00Z'), { date: '2030-01-11', time: '20:00' }],
    ['the time', due('2030-01-10', '2030-01-11T02:00:00Z'), { date: '2030-01-10', time: '21:00' }],
    ['to the whole day', due('2030-01-10'), { date: '2030-01-10', time: null }],
  ])('starts again if the task was moved: %s', (_what, moved, shown) => {
    const start = (shown as { date: string }).date;
    const restart = { ...shown, start, number: 1, due: [moved.date, moved.time?.toISOString() ?? null] };
    expect(set({ rule: current.rule }, moved, current)).toMatchObject({
      ...restart,
      basis: 'EACH',
      timeZone: current.timeZone,
    });
  });

  test('is refused if the task was moved to a time on another day than its due date', () => {
    const moved = due('2030-01-10', '2030-01-12T01:00:00Z');
    expect(() => set({ rule: current.rule }, moved, current)).toThrow(expect.objectContaining({ field: 'timeZone' }));
  });

  test('starts again if a whole day was moved', () => {
    const whole = { ...current, time: null };
    expect(set({ rule: current.rule }, due('2030-01-10'), whole)).toMatchObject({ number: 3, time: null });
    expect(set({ rule: current.rule }, at, whole)).toMatchObject({ number: 1, time: '20:00' });
    expect(set({ rule: current.rule }, due('2030-01-11'), whole)).toMatchObject({ number: 1, date: '2030-01-11' });
  });
});

test('another basis alone begins no series after its date, which an early completion makes', () => {
  const early = {
    rule: 'FREQ=DAILY',
    timeZone: 'America/New_York',
    seriesId: 'seri_1',
    ...{ start: '2030-03-01', date: '2030-01-10', time: null, number: 2 },
  } as const;
  const again = (basis: 'COMPLETION' | 'SCHEDULE') =>
    setSeries(
      { rule: early.rule, basis },
      { date: early.date, time: null },
      { current: { ...early, basis: 'COMPLETION' }, now: new Date('2030-01-01T12:00:00Z'), zone: 'UTC' },
    ).recurrence;
  expect(again('COMPLETION')).toMatchObject({ start: '2030-03-01', date: '2030-01-10', number: 2 });
  expect(again('SCHEDULE')).toMatchObject({ start: '2030-01-10', date: '2030-01-10', number: 2 });
});
