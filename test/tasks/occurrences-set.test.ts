import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { makeTask } from '../kit/make.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { signUp, type User } from '../kit/users.ts';
import * as repeating from './repeating.ts';

const { makeRepeating, complete, openOccurrence, nextIdOf, reload, refusedPaths, tryUpdate, update } = repeating;

let service: Service;
let anna: User;
beforeAll(async () => {
  service = await sharedService();
});
beforeEach(async () => {
  anna = await signUp(service);
  await anna.patch('/api/v1/user/user-preferences', { timeZone: 'Europe/Berlin' });
});

const nine = { dueDate: '2040-01-02', dueTime: '2040-01-02T08:00:00Z', isAllDay: false };
const daily = { rule: 'FREQ=DAILY' };
const weekly = { rule: 'FREQ=WEEKLY;BYDAY=MO' };
const seriesOf = (id: string) => id.replace('task_', 'seri_');
const remove = (id: string) => anna.data('mutation ($id: ID!) { deleteTask(id: $id) }', { id });

describe('setting a recurrence', () => {
  test('takes the due date and time of the task, and the zone of the preferences for good', async () => {
    const { id } = await makeTask(anna, nine);
    const task = await update(anna, id, { recurrence: weekly });
    const recurrence = {
      rule: 'FREQ=WEEKLY;BYDAY=MO',
      basis: 'SCHEDULE',
      timeZone: 'Europe/Berlin',
      start: '2040-01-02',
      date: '2040-01-02',
      time: '09:00',
      number: 1,
      seriesId: seriesOf(id),
    };
    expect(task).toMatchObject({ ...nine, dueTime: '2040-01-02T08:00:00.000Z', recurrence });
    await anna.patch('/api/v1/user/user-preferences', { timeZone: 'Asia/Tokyo' });
    expect(await update(anna, id, { recurrence: weekly })).toEqual(task);
    await complete(anna, id);
    expect(await openOccurrence(anna, task)).toMatchObject({
      dueTime: '2040-01-09T08:00:00.000Z',
      recurrence: { timeZone: 'Europe/Berlin', time: '09:00' },
    });
  });

  test('derives a missing due date from the due time', async () => {
    const zone = { ...daily, timeZone: 'America/Los_Angeles' };
    const task = await makeRepeating(anna, zone, { dueTime: '2040-01-02T04:00:00Z', isAllDay: false });
    expect(task).toMatchObject({ dueDate: '2040-01-01', recurrence: { date: '2040-01-01', time: '20:00' } });
    const { id } = await makeTask(anna, { dueTime: '2040-01-02T04:00:30Z', isAllDay: false });
    expect(await update(anna, id, { recurrence: zone })).toMatchObject({
      dueDate: '2040-01-01',
      recurrence: { time: '20:00:30' },
    });
  });

  test('ignores a due time of an all-day task', async () => {
    const task = await makeRepeating(anna, daily, { ...nine, isAllDay: true });
    expect(task).toMatchObject({ dueTime: null, recurrence: { time: null } });
    const timed = await update(anna, task.id, { ...nine, recurrence: daily });
    expect(timed.recurrence).toMatchObject({ time: '09:00', number: 1 });
    const allDay = await update(anna, task.id, { isAllDay: true, recurrence: daily });
    expect(allDay).toMatchObject({ dueTime: null, recurrence: { time: null } });
  });

  test.each([
    [
      'input.recurrence.timeZone',
      { ...nine, recurrence: { ...daily, timeZone: 'Pacific/Kiritimati' }, dueTime: '2040-01-02T12:00:00Z' },
    ],
    ['input.recurrence.timeZone', { ...nine, recurrence: daily, dueTime: '2040-01-02T23:30:00Z' }],
  ])('is refused at %s if the due time is on another day there', async (path, input) => {
    const { id } = await makeTask(anna);
    expect(refusedPaths(await tryUpdate(anna, id, input))).toEqual([path]);
    expect(await reload(anna, id)).toMatchObject({ recurrence: null, dueDate: null });
  });

  test('without a due date begins on the first day from today that fits, with the automatic reminder', async () => {
    await anna.patch('/api/v1/user/user-preferences', { automaticRemainder: true });
    const today = await repeating.dayIn(service, 'Europe/Berlin');
    const biweekly = { rule: 'FREQ=DAILY;INTERVAL=5' };
    expect(await makeRepeating(anna, biweekly, {})).toMatchObject({
      dueDate: today,
      reminder: true,
      recurrence: { start: today, number: 1 },
    });
    const { id } = await makeTask(anna);
    expect(await update(anna, id, { recurrence: { ...biweekly, basis: 'COMPLETION' } })).toMatchObject({
      dueDate: today,
    });
    const later = { rule: 'FREQ=MONTHLY;BYMONTHDAY=15', start: '2045-02-16' };
    expect(await makeRepeating(anna, later, {})).toMatchObject({
      dueDate: '2045-03-15',
      recurrence: { start: '2045-02-16', number: 2 },
    });
  });

  test('counts from a start that is at most 20 years before', async () => {
    const task = await makeRepeating(anna, { ...weekly, start: '2039-12-25' }, { dueDate: '2040-01-02' });
    expect(task.recurrence).toMatchObject({ start: '2039-12-25', date: '2040-01-02', number: 3 });
    await complete(anna, task.id);
    expect((await openOccurrence(anna, task)).recurrence).toMatchObject({ start: '2039-12-25', number: 4 });
    const old = await makeRepeating(anna, { ...daily, start: '2020-01-01' }, { dueDate: '2040-01-01' });
    expect(old.recurrence).toMatchObject({ number: 7306 });
  });

  test('again changes nothing, also with values that are absent or written otherwise', async () => {
    const task = await makeRepeating(anna, { ...weekly, basis: 'EACH', start: '2039-12-26' }, nine);
    for (const recurrence of [
      weekly,
      { rule: 'rrule:byday=mo;freq=weekly;interval=1' },
      { ...weekly, basis: 'EACH', timeZone: 'Europe/Berlin', start: '2039-12-26' },
    ]) {
      const { headers } = await anna.put(`/api/v2/todo/${task.id}/recurrence`, { rule: recurrence.rule });
      expect(headers.get('x-operation-id')).toBeNull();
      expect(await update(anna, task.id, { recurrence })).toEqual(task);
    }
  });

  test.each<[string, object]>([
    ['another rule', { recurrence: daily }],
    ['another end', { recurrence: { rule: `${weekly.rule};COUNT=9` } }],
    ['another start', { recurrence: { ...weekly, start: '2039-12-19' } }],
    ['a moved due date', { dueDate: '2040-01-23', isAllDay: true, recurrence: weekly }],
    ['a moved due time', { dueTime: '2040-01-16T09:00:00Z', recurrence: weekly }],
  ])('with %s starts the series again from this occurrence', async (_name, input) => {
    const first = await makeRepeating(anna, weekly, nine);
    await complete(anna, first.id);
    await complete(anna, nextIdOf(first.id));
    const task = await openOccurrence(anna, first);
    expect(task.recurrence).toMatchObject({ number: 3, date: '2040-01-16' });
    const { recurrence, dueDate } = await update(anna, task.id, input);
    const start = JSON.stringify(input).includes('2039-12-19') ? '2039-12-19' : dueDate;
    expect(recurrence).toMatchObject({ seriesId: task.recurrence?.seriesId, date: dueDate, start });
    expect(recurrence?.number).toBe(start === dueDate ? 1 : 5);
  });

  test.each<[object, object, string]>([
    [{ basis: 'EACH' }, { basis: 'EACH' }, '2040-01-09T08:00:00.000Z'],
    [{ timeZone: 'America/New_York' }, { timeZone: 'America/New_York' }, '2040-01-09T14:00:00.000Z'],
    [{ basis: 'EACH', timeZone: 'Asia/Tokyo' }, { basis: 'EACH', timeZone: 'Asia/Tokyo' }, '2040-01-09T00:00:00.000Z'],
  ])('with %j alone keeps the rest', async (change, expected, dueTime) => {
    const first = await makeRepeating(anna, weekly, nine);
    await complete(anna, first.id);
    const task = await openOccurrence(anna, first);
    const changed = await update(anna, task.id, { recurrence: { ...weekly, ...change } });
    expect(changed).toMatchObject({ dueDate: '2040-01-09', dueTime, recurrence: { ...task.recurrence, ...expected } });
  });

  test('of a task that had another series makes a new one', async () => {
    const task = await makeRepeating(anna, daily, nine);
    await complete(anna, task.id);
    await update(anna, nextIdOf(task.id), { title: 'kept' });
    await update(anna, task.id, { completed: false });
    const again = await update(anna, task.id, { recurrence: daily });
    expect(again.recurrence?.seriesId).toMatch(/^seri_/);
    expect(again.recurrence?.seriesId).not.toBe(task.recurrence?.seriesId);
    expect(await openOccurrence(anna, task)).toMatchObject({ title: 'kept' });
    expect(await openOccurrence(anna, again)).toMatchObject({ id: task.id });
  });
});

describe('moving an occurrence', () => {
  test('without its recurrence moves it alone', async () => {
    const task = await makeRepeating(anna, weekly, nine);
    const moved = await update(anna, task.id, { dueDate: '2040-01-05', dueTime: '2040-01-05T10:00:00Z' });
    expect(moved).toMatchObject({ dueDate: '2040-01-05', recurrence: task.recurrence });
    await complete(anna, task.id);
    expect(await openOccurrence(anna, task)).toMatchObject({
      dueDate: '2040-01-09',
      dueTime: '2040-01-09T08:00:00.000Z',
      recurrence: { number: 2 },
    });
  });

  test('with its recurrence moves it and all later ones', async () => {
    const task = await makeRepeating(anna, weekly, nine);
    const due = { dueDate: '2040-01-05', dueTime: '2040-01-05T10:00:00Z' };
    await update(anna, task.id, { ...due, recurrence: weekly });
    await complete(anna, task.id);
    expect(await openOccurrence(anna, task)).toMatchObject({
      dueTime: '2040-01-09T10:00:00.000Z',
      recurrence: { start: '2040-01-05', time: '11:00', number: 2 },
    });
  });

  test('carries all other fields over, also what only this one got', async () => {
    const task = await makeRepeating(anna, weekly, { ...nine, reminder: true });
    await update(anna, task.id, { isAllDay: true, reminder: false, title: 'once' });
    await complete(anna, task.id);
    expect(await openOccurrence(anna, task)).toMatchObject({ isAllDay: false, reminder: false, title: 'once' });
  });
});

describe('ending a series', () => {
  test('changes nothing else, and is named in the changes', async () => {
    const task = await makeRepeating(anna, weekly, nine);
    const { changes } = await anna.data<{ changes: { cursor: string } }>('{ changes { cursor } }');
    const { updatedAt, ...ended } = await update(anna, task.id, { recurrence: null });
    expect(ended).toEqual({ ...task, updatedAt: undefined, recurrence: null });
    expect(updatedAt).not.toBe(task.updatedAt);
    await update(anna, task.id, { recurrence: null });
    const found = await anna.get<{ changes: object[] }>(`/api/v2/changes?after=${encodeURIComponent(changes.cursor)}`);
    expect(found.body.changes).toMatchObject([{ taskId: task.id, changedFields: ['recurrence'] }]);
    await complete(anna, task.id);
    expect(await reload(anna, nextIdOf(task.id))).toBeNull();
  });

  test('by deleting its open occurrence leaves the past ones', async () => {
    const task = await makeRepeating(anna, weekly, nine);
    await complete(anna, task.id);
    await remove(nextIdOf(task.id));
    expect(await repeating.occurrencesOf(anna, task)).toMatchObject([{ id: task.id, completed: true }]);
  });
});

test('the recurrence of a task that stays completed cannot be set, changed or ended', async () => {
  const [plain, task] = [await makeTask(anna), await makeRepeating(anna, weekly, nine)];
  for (const { id } of [plain, task]) await complete(anna, id);
  for (const recurrence of [daily, { ...weekly, basis: 'EACH' }, weekly, null]) {
    for (const others of [{}, { completed: true }]) {
      expect(refusedPaths(await tryUpdate(anna, task.id, { recurrence, ...others }))).toEqual(['input.recurrence']);
      const answer = await tryUpdate(anna, plain.id, { recurrence, ...others });
      expect(refusedPaths(answer)).toEqual(recurrence === null ? [] : ['input.recurrence']);
    }
  }
  expect(await anna.delete(`/api/v2/todo/${task.id}/recurrence`)).toMatchObject({ status: 400 });
  expect(await anna.put(`/api/v2/todo/${task.id}/recurrence`, daily)).toMatchObject({ status: 400 });
  // Together with its opening, all are possible.
  expect(await update(anna, plain.id, { completed: false, recurrence: daily })).toMatchObject({ completed: false });
  expect(await update(anna, task.id, { completed: false, recurrence: daily })).toMatchObject({
    recurrence: { rule: 'FREQ=DAILY', seriesId: task.recurrence?.seriesId },
  });
  await complete(anna, task.id);
  expect(await update(anna, task.id, { completed: false, recurrence: null })).toMatchObject({ recurrence: null });
});

test('a repeating task is neither above nor below another', async () => {
  const chain = [await makeTask(anna)];
  for (let level = 0; level < 3; level += 1) chain.push(await makeTask(anna, { parentId: chain[level]?.id }));
  const [top, , middle, bottom] = chain.map(({ id }) => id) as [string, string, string, string];
  await update(anna, middle, { recurrence: daily });
  for (const id of [top, bottom]) {
    expect(refusedPaths(await tryUpdate(anna, id, { recurrence: daily }))).toEqual(['input.recurrence']);
  }
  const create = await anna.graphql('mutation ($input: CreateTaskInput!) { createTask(input: $input) { id } }', {
    input: { title: 'x', parentId: bottom, recurrence: daily },
  });
  expect(refusedPaths(create)).toEqual(['input.recurrence']);
  const other = await makeRepeating(anna, daily, nine);
  expect(refusedPaths(await tryUpdate(anna, other.id, { parentId: bottom }))).toEqual(['input.parentId']);
  expect(refusedPaths(await tryUpdate(anna, top, { parentId: other.id }))).toEqual(['input.parentId']);
  const ended = await makeRepeating(anna, daily, nine);
  const below = { parentId: bottom, recurrence: null };
  expect(await update(anna, ended.id, below)).toMatchObject(below);
  const withRepeating = { parentId: other.id, recurrence: null };
  expect(refusedPaths(await tryUpdate(anna, top, withRepeating))).toEqual(['input.parentId']);
  const plain = await makeTask(anna);
  const both = { parentId: bottom, recurrence: daily };
  expect(refusedPaths(await tryUpdate(anna, plain.id, both))).toEqual(['input.recurrence']);
  expect(await reload(anna, plain.id)).toMatchObject({ parentId: null, recurrence: null });
  // Completed occurrences do not repeat.
  await complete(anna, other.id);
  expect(await update(anna, other.id, { parentId: bottom })).toMatchObject({ parentId: bottom });
});
