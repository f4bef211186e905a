import { beforeAll, describe, expect, test } from '@jest/globals';
import { makeTask, type RestTask } from '../kit/make.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { signUp, type User } from '../kit/users.ts';
import { makeRepeating, refusedPaths, type RepeatingTask, reload, tryUpdate, updateMany } from './repeating.ts';

// Each bad recurrence is refused by every way to set one, which then changes nothing.

let service: Service;
let anna: User;
let plain: RestTask;
let repeating: RepeatingTask;
let before: (RepeatingTask | null)[];
const stored = async () => [await reload(anna, plain.id), await reload(anna, repeating.id)];
beforeAll(async () => {
  service = await sharedService();
  anna = await signUp(service);
  plain = await makeTask(anna, { dueDate: '2040-01-01' });
  repeating = await makeRepeating(anna);
  before = await stored();
});

async function expectRefused(recurrence: Record<string, unknown>, field: string, message: RegExp) {
  const { basis } = recurrence;
  const body = { ...recurrence, ...(typeof basis === 'string' && { basis: basis.toLowerCase() }) };
  expect(await anna.put(`/api/v2/todo/${plain.id}/recurrence`, body)).toMatchObject({
    status: 400,
    body: { errors: [{ path: field, message: expect.stringMatching(message) }] },
  });
  const answer = await tryUpdate(anna, repeating.id, { recurrence });
  expect(refusedPaths(answer)).toEqual([`input.recurrence.${field}`]);
  expect(answer.errors?.[0]?.message).toMatch(message);
}

async function expectRefusedElsewhere(recurrence: object, field: string) {
  const created = await anna.graphql('mutation ($input: CreateTaskInput!) { createTask(input: $input) { id } }', {
    input: { title: 'x', dueDate: '2040-01-01', recurrence },
  });
  expect(refusedPaths(created)).toEqual([`input.recurrence.${field}`]);
  const completed = await tryUpdate(anna, repeating.id, { completed: true, recurrence });
  expect(refusedPaths(completed)).toEqual([`input.recurrence.${field}`]);
  const preview = 'previewRecurrence(input: $input, dueDate: "2040-01-01") { rule }';
  const previewed = await anna.graphql(`query ($input: RecurrenceInput!) { ${preview} }`, { input: recurrence });
  expect(refusedPaths(previewed)).toEqual([`input.${field}`]);
}

describe('bad rules are refused', () => {
  const unfit: [string, RegExp][] = [
    ['FREQ=HOURLY', /FREQ/],
    ['FREQ=DAILY;BYHOUR=9', /BYHOUR/],
    ['FREQ=DAILY;FREQ=DAILY', /FREQ only once/],
    ['FREQ=DAILY;INTERVAL=1001', /in INTERVAL$/],
    ['FREQ=YEARLY;BYDAY=54MO', /in BYDAY$/],
    ['FREQ=WEEKLY;WKST=1MO', /in WKST$/],
    ['FREQ=DAILY;UNTIL=20400230', /in UNTIL$/],
    ['FREQ=DAILY;UNTIL=20391231', /UNTIL before/],
    ['FREQ=DAILY;UNTIL=00000101', /UNTIL before/],
    ['FREQ=DAILY;UNTIL=20391231T235959', /UNTIL before/],
    ['FREQ=WEEKLY;BYMONTHDAY=1', /BYMONTHDAY/],
    ['FREQ=DAILY;COUNT=2;UNTIL=20400105', /COUNT/],
  ];
  const hostile: [string, RegExp][] = [
    ['', /parts like/],
    [';', /parts like/],
    ['FREQ', /parts like/],
    ['FREQ=', /parts like/],
    ['=DAILY', /parts like/],
    ['FREQ=DAILY;', /parts like/],
    ['FREQ=DAILY;;COUNT=2', /parts like/],
    ['FREQ=DAILY COUNT=2', /FREQ|parts like/],
    [' FREQ=DAILY', /parts like/],
    ['FREQ=DAILY\n', /parts like/],
    ['RRULE:RRULE:FREQ=DAILY', /parts like/],
    ['DTSTART:20400101\nRRULE:FREQ=DAILY', /parts like/],
    ['__proto__', /parts like/],
    ['FREQ=__proto__', /FREQ/],
    ['FREQ=constructor', /FREQ/],
    ['FREQ=DAILY\u0000', /NUL/],
    ['FREQ=DAILY\ud800', /surrogate/],
    [`FREQ=DAILY;BYMONTHDAY=${'1,'.repeat(238)}031`, /500/],
    ['\u{1F600}'.repeat(251), /500/],
    ['<script>alert(1)</script>', /parts like/],
    ["'; DROP TABLE tasks; --", /parts like/],
  ];
  const noDate: [string, RegExp][] = [
    ['FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30', /20 years/],
    ['FREQ=MONTHLY;BYMONTHDAY=1;BYSETPOS=2', /20 years/],
    ['FREQ=YEARLY;INTERVAL=21', /20 years/],
    ['FREQ=DAILY;UNTIL=20400101', /20 years/],
  ];
  test.each(Object.entries({ unfit, hostile, noDate }))('%s', async (_name, rules) => {
    for (const [rule, message] of rules) await expectRefused({ rule }, 'rule', message);
    await expectRefusedElsewhere({ rule: rules[0]?.[0] }, 'rule');
    expect(await stored()).toEqual(before);
  });
});

test.each<[string, Record<string, unknown>, RegExp]>([
  ['rule', { rule: 'FREQ=WEEKLY;BYDAY=MO', basis: 'COMPLETION' }, /BYDAY/],
  ['rule', { rule: 'FREQ=WEEKLY;WKST=SU', basis: 'COMPLETION' }, /WKST/],
  ['rule', { rule: 'FREQ=YEARLY;INTERVAL=21', basis: 'COMPLETION' }, /20 years/],
  ['rule', { rule: 'FREQ=DAILY;COUNT=1', start: '2039-12-31' }, /COUNT/],
  ['rule', { rule: 'FREQ=DAILY;UNTIL=20391230', start: '2039-12-31' }, /UNTIL/],
  ['timeZone', { rule: 'FREQ=DAILY', timeZone: '' }, /zone/],
  ['timeZone', { rule: 'FREQ=DAILY', timeZone: 'Europe/Nowhere' }, /zone/],
  ['timeZone', { rule: 'FREQ=DAILY', timeZone: '__proto__' }, /zone/],
  ['timeZone', { rule: 'FREQ=DAILY', timeZone: '+01:00' }, /zone/],
  ['timeZone', { rule: 'FREQ=DAILY', timeZone: `Europe/${'x'.repeat(501)}` }, /./],
  ['timeZone', { rule: 'FREQ=DAILY', timeZone: 'UTC\u0000' }, /./],
  ['start', { rule: 'FREQ=DAILY', start: '2040-01-02' }, /after the due date/],
  ['start', { rule: 'FREQ=DAILY', start: '2019-12-31' }, /20 years/],
])('a bad %s is refused: %j', async (field, recurrence, message) => {
  await expectRefused(recurrence, field, message);
  await expectRefusedElsewhere(recurrence, field);
  expect(await stored()).toEqual(before);
});

test.each([
  ['basis', { rule: 'FREQ=DAILY', basis: 'SOMETIMES' }],
  ['start', { rule: 'FREQ=DAILY', start: '2039-02-30' }],
  ['start', { rule: 'FREQ=DAILY', start: '0000-01-01' }],
  ['rule', { rule: null }],
  ['rule', { rule: 5 }],
  ['rule', { rule: ['FREQ=DAILY'] }],
  ['rule', {}],
])('a value of another type is refused: %s of %j', async (field, recurrence) => {
  expect(await anna.put(`/api/v2/todo/${plain.id}/recurrence`, recurrence)).toMatchObject({
    status: 400,
    body: { errors: [{ path: field }] },
  });
  const { errors } = await tryUpdate(anna, plain.id, { recurrence });
  expect(errors?.[0]?.extensions.code).toMatch(/^(BAD_USER_INPUT|VALIDATION_FAILED|BAD_REQUEST)$/);
  expect(await stored()).toEqual(before);
});

test.each(['2040-02-30', 'today', '', '0000-01-01', '10000-01-01', 20400101, {}])(
  'completedOn is a day: %j',
  async (completedOn) => {
    const { errors } = await tryUpdate(anna, repeating.id, { completed: true, completedOn });
    expect(errors?.[0]?.extensions.code).not.toBe('INTERNAL');
    expect(errors).toHaveLength(1);
    await expect(updateMany(anna, [repeating.id], { completed: true, completedOn })).rejects.toThrow('completedOn');
    expect(await stored()).toEqual(before);
  },
);

test('the limits are accepted', async () => {
  for (const rule of [
    'FREQ=DAILY;INTERVAL=1000;COUNT=10000',
    'FREQ=YEARLY;BYDAY=53MO,-53SU',
    'FREQ=YEARLY;BYWEEKNO=-53,53;BYDAY=MO',
    'FREQ=YEARLY;BYYEARDAY=-366,366',
    'FREQ=YEARLY;BYDAY=MO;BYSETPOS=-366,1',
    'FREQ=MONTHLY;BYMONTHDAY=+31,-31',
    `FREQ=DAILY;BYMONTHDAY=${'1,'.repeat(238)}31`,
    'FREQ=YEARLY;INTERVAL=20',
    'FREQ=YEARLY;INTERVAL=21;COUNT=1',
    'FREQ=DAILY;UNTIL=20400102',
  ]) {
    expect(rule.length).toBeLessThanOrEqual(500);
    const { id } = await makeTask(anna, { dueDate: '2040-01-01' });
    const { status, body } = await anna.put(`/api/v2/todo/${id}/recurrence`, { rule });
    expect({ rule, status, body }).toMatchObject({ status: 200 });
  }
});
