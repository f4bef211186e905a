import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { pending, refused, type RecurrenceInput, tasks } from 'taskgate-client';
import { randomName } from '../kit/random.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { signUp, type User } from '../kit/users.ts';
import { contentOf } from './content.ts';
import { closeDevices, Device, untilLater } from './device.ts';

const daily: RecurrenceInput = { rule: 'FREQ=DAILY' };

let service: Service;
let anna: User;
beforeAll(async () => {
  service = await sharedService();
  anna = await signUp(service);
  await anna.patch('/api/v1/user/user-preferences', { timeZone: 'Europe/Berlin', automaticRemainder: true });
});

afterEach(closeDevices);

const tagOf = (device: Device) => device.replica.mutate('createTag', { name: randomName('tag') }).id ?? '';

describe('a replica shows offline', () => {
  test.each<[string, RecurrenceInput, object, object]>([
    ['a rule', daily, { dueDate: '2030-01-07' }, { rule: 'FREQ=DAILY', start: '2030-01-07', summary: 'Every day' }],
    [
      'a rule of a task with a time',
      { rule: 'rrule:freq=weekly;byday=fr,mo' },
      { dueDate: '2030-01-07', isAllDay: false, dueTime: '2030-01-07T08:00:00.000Z' },
      { rule: 'FREQ=WEEKLY;BYDAY=MO,FR', timeZone: 'Europe/Berlin', time: '09:00', number: 1, basis: 'SCHEDULE' },
    ],
    [
      'a rule in another zone, with an earlier start',
      { rule: 'FREQ=MONTHLY;BYMONTHDAY=-1', timeZone: 'Asia/Tokyo', basis: 'EACH', start: '2029-11-30' },
      { dueDate: '2030-01-31', isAllDay: false, dueTime: '2030-01-30T20:30:30.000Z' },
      { time: '05:30:30', number: 3, summary: 'Every month on the last day, each date' },
    ],
    ['a rule of a task without a due date', { rule: 'FREQ=YEARLY;BYMONTH=6;BYMONTHDAY=1' }, {}, { number: 1 }],
    ['a rule by completions', { rule: 'FREQ=DAILY;INTERVAL=3', basis: 'COMPLETION' }, {}, { basis: 'COMPLETION' }],
  ])('%s that is set when the task is created, or later', async (_what, recurrence, due, expected) => {
    const device = await Device.open(service, anna);
    const created = device.make({ title: 'created', ...due, recurrence });
    const changed = device.make({ title: 'changed' });
    device.set(changed, { ...due, recurrence });
    for (const id of [created, changed]) {
      expect(device.task(id)?.recurrence).toMatchObject({ ...expected, seriesId: id.replace('task', 'seri') });
    }
    expect(device.task(created)?.dueDate).toBe(device.task(created)?.recurrence?.date);
    await device.expectForeseen();
  });

  test('a recurrence that is set again, moved, moved to another zone, and ended', async () => {
    const device = await Device.open(service, anna);
    const due = { dueDate: '2030-01-07', isAllDay: false, dueTime: '2030-01-07T08:00:00.000Z' };
    const ids = ['same', 'later', 'by each date', 'elsewhere', 'ended'].map((title) =>
      device.make({ title, ...due, recurrence: daily }),
    );
    const [same = '', later = '', each = '', elsewhere = '', ended = ''] = ids;
    device.set(same, { recurrence: daily });
    device.set(later, { dueDate: '2030-01-09', dueTime: '2030-01-09T08:00:00.000Z', recurrence: daily });
    device.set(each, { recurrence: { ...daily, basis: 'EACH' } });
    device.set(elsewhere, { recurrence: { ...daily, timeZone: 'America/New_York' } });
    device.set(ended, { recurrence: null });
    expect(device.task(same)?.recurrence).toMatchObject({ date: '2030-01-07', number: 1 });
    expect(device.task(later)?.recurrence).toMatchObject({ start: '2030-01-09', date: '2030-01-09', number: 1 });
    expect(device.task(each)?.recurrence?.summary).toBe('Every day, each date');
    expect(device.task(elsewhere)).toMatchObject({ dueTime: '2030-01-07T14:00:00.000Z' });
    expect(device.task(ended)?.recurrence).toBeNull();
    await device.expectForeseen();
  });

  test.each(['SCHEDULE', 'EACH', 'COMPLETION'] as const)(
    'the next occurrence of the basis %s, of a due and of an overdue task',
    async (basis) => {
      const device = await Device.open(service, anna);
      const recurrence = { rule: 'FREQ=WEEKLY', basis };
      for (const dueDate of ['2030-01-07', '2020-01-06']) {
        const id = device.make({ title: dueDate, dueDate, priority: 'HIGH', description: 'with water', recurrence });
        device.set(id, { completed: true, title: `${dueDate} again` });
        const { id: nextId } = device.open(id);
        expect(nextId).not.toBe(id);
        expect(device.task(nextId)).toMatchObject({
          ...{ title: `${dueDate} again`, priority: 'HIGH', completed: false, completedAt: null },
          recurrence: { number: expect.any(Number) },
        });
      }
      await device.expectForeseen();
    },
  );

  test('the last occurrence of a series', async () => {
    const device = await Device.open(service, anna);
    const id = device.make({ title: 'twice', dueDate: '2030-01-07', recurrence: { rule: 'FREQ=DAILY;COUNT=2' } });
    device.set(id, { completed: true });
    device.set(device.open(id).id, { completed: true });
    expect(device.series(id).map(({ completed, recurrence }) => [recurrence?.number, completed])).toEqual([
      [1, true],
      [2, true],
    ]);
    await device.expectForeseen();
  });

  test('subtasks of the next occurrence, over a change of clocks, right behind the completed one', async () => {
    const device = await Device.open(service, anna);
    const tag = device.replica.mutate('createTag', { name: 'home' }).id ?? '';
    const id = device.make({ title: 'clean', dueDate: '2030-03-30', tagIds: [tag], recurrence: daily });
    const room = device.make({ title: 'room', parentId: id, tagIds: [tag], dueDate: '2030-03-28' });
    const time = { isAllDay: false, dueTime: '2030-03-30T01:30:00.000Z' };
    device.make({ title: 'window', parentId: room, dueDate: '2030-03-30', ...time });
    device.set(device.make({ title: 'door', parentId: room }), { completed: true });
    device.make({ title: 'other task' });
    device.set(id, { completed: true });
    const next = device.open(id);
    const copies = device.replica.read(tasks.children(next.id));
    expect(next).toMatchObject({ dueDate: '2030-03-31', tagIds: [tag] });
    expect(copies).toMatchObject([{ title: 'room', dueDate: '2030-03-29', tagIds: [tag], completed: false }]);
    expect(device.replica.read(tasks.children(copies[0]?.id ?? ''))).toMatchObject([
      // 02:30 of that day does not exist.
      { title: 'window', completed: false, dueDate: '2030-03-31', dueTime: '2030-03-31T01:30:00.000Z' },
      { title: 'door', completed: false },
    ]);
    const shown = device.replica.read(tasks.byProject(next.projectId));
    expect(shown.map(({ title }) => title).slice(-9)).toEqual([
      'clean',
      'clean',
      'room',
      'window',
      'door',
      'room',
      'window',
      'door',
      'other task',
    ]);
    await device.expectForeseen();
  });

  test('a former occurrence below a task that repeats now', async () => {
    const device = await Device.open(service, anna);
    const id = device.make({ title: 'trip', dueDate: '2030-01-07' });
    const recurrence = { rule: 'FREQ=DAILY;COUNT=1' };
    const [once, opened] = [1, 2].map(() =>
      device.make({ title: 'once', parentId: id, dueDate: '2030-01-07', recurrence }),
    );
    device.setAll([once ?? '', opened ?? ''], { completed: true });
    device.set(id, { recurrence: daily });
    device.set(opened ?? '', { completed: false });
    expect([once, opened].map((each) => device.task(each ?? '')?.recurrence?.number)).toEqual([1, undefined]);
    device.set(id, { completed: true });
    const copies = device.replica.read(tasks.children(device.open(id).id));
    expect(copies.map((copy) => copy.recurrence)).toEqual([null, null]);
    await device.expectForeseen();
  });

  test('a former occurrence that is opened and moved below a task that repeats', async () => {
    const device = await Device.open(service, anna);
    const [parent, former] = ['parent', 'former'].map((title) =>
      device.make({ title, dueDate: '2030-01-07', recurrence: daily }),
    );
    device.set(former ?? '', { completed: true });
    device.set(former ?? '', { completed: false, parentId: parent });
    expect(device.task(former ?? '')).toMatchObject({ parentId: parent, completed: false, recurrence: null });
    await device.expectForeseen();
  });

  test('several completed tasks at once', async () => {
    const device = await Device.open(service, anna);
    const recurrences = [daily, { ...daily, basis: 'COMPLETION' as const }, undefined];
    const ids = recurrences.map((recurrence) => device.make({ title: 'each', dueDate: '2030-01-07', recurrence }));
    const child = device.make({ title: 'below', parentId: ids[0] });
    device.setAll([...ids, child], { completed: true, priority: 'LOW' });
    for (const id of ids.slice(0, 2)) expect(device.open(id)).toMatchObject({ priority: 'LOW', completed: false });
    await device.expectForeseen();
  });

  test('a skipped date, with the dates of subtasks', async () => {
    const device = await Device.open(service, anna);
    const due = { isAllDay: false, dueTime: '2030-01-07T08:00:00.000Z' };
    const id = device.make({ title: 'skip', dueDate: '2030-01-07', ...due, recurrence: { rule: 'FREQ=WEEKLY' } });
    const child = device.make({ title: 'below', parentId: id, dueDate: '2030-01-06' });
    device.set(id, { dueDate: '2030-01-08' });
    device.replica.mutate('skipOccurrence', { id });
    const dueTime = '2030-01-14T08:00:00.000Z';
    expect(device.task(id)).toMatchObject({ dueDate: '2030-01-14', dueTime, recurrence: { number: 2 } });
    expect(device.task(child)?.dueDate).toBe('2030-01-13');
    const another = device.make({
      title: 'skip',
      dueDate: '2030-01-07',
      recurrence: { ...daily, basis: 'COMPLETION' },
    });
    device.replica.mutate('skipOccurrence', { id: another });
    await device.expectForeseen();
  });

  test('an opened task instead of its unchanged next occurrence, and ticked again, the same one as before', async () => {
    const device = await Device.open(service, anna);
    const id = device.make({ title: 'tick', dueDate: '2030-01-07', recurrence: daily });
    const child = device.make({ title: 'below', parentId: id, dueDate: '2030-01-07' });
    for (const taskId of [id, child]) device.replica.mutate('createComment', { taskId, text: 'Only here' });
    const done = device.make({ title: 'done before', parentId: id });
    device.set(done, { completed: true });
    untilLater();
    device.set(id, { completed: true });
    const { id: nextId } = device.open(id);
    untilLater();
    device.set(id, { completed: false });
    expect(device.series(id)).toMatchObject([{ id, completed: false, completedAt: null }]);
    expect([child, done].map((each) => device.task(each)?.completed)).toEqual([false, true]);
    untilLater();
    device.set(id, { completed: true });
    expect(device.open(id).id).toBe(nextId);
    await device.expectForeseen();
  });

  test.each<[string, (device: Device, id: string, child: string) => void]>([
    ['got a subtask', (device, id) => device.make({ title: 'new', parentId: id })],
    ['lost a subtask', (device, _id, child) => device.replica.mutate('deleteTask', { id: child })],
  ])('an opened task instead of its next occurrence, if the task %s', async (_what, edit) => {
    const device = await Device.open(service, anna);
    const id = device.make({ title: 'tick', dueDate: '2030-01-07', recurrence: daily });
    const child = device.make({ title: 'below', parentId: id });
    device.set(id, { completed: true });
    untilLater();
    edit(device, id, child);
    untilLater();
    device.set(id, { completed: false });
    expect(device.series(id)).toMatchObject([{ id, completed: false, recurrence: { number: 1 } }]);
    await device.expectForeseen();
  });

  test.each<[string, (device: Device, nextId: string, id: string) => void]>([
    ['has another title', (device, id) => device.set(id, { title: 'edited' })],
    [
      'is at another place',
      (device, id) => device.replica.mutate('moveTask', { id, after: device.make({ title: 'x' }) }),
    ],
    ['was skipped', (device, id) => device.replica.mutate('skipOccurrence', { id })],
    ['has another subtask', (device, id) => device.make({ title: 'new', parentId: id })],
    ['has a tag', (device, id) => device.set(id, { tagIds: [tagOf(device)] })],
    ['has a comment', (device, taskId) => device.replica.mutate('createComment', { taskId, text: 'Next time' })],
    ['lacks a new tag of the task', (device, _nextId, id) => device.set(id, { tagIds: [tagOf(device)] })],
  ])('an opened task without a recurrence, if the next occurrence %s', async (_what, edit) => {
    const device = await Device.open(service, anna);
    const id = device.make({ title: 'tick', dueDate: '2030-01-07', recurrence: daily });
    device.set(id, { completed: true });
    const next = device.open(id);
    untilLater();
    edit(device, next.id, id);
    untilLater();
    device.set(id, { completed: false });
    expect(device.task(id)).toMatchObject({ completed: false, recurrence: null });
    expect(device.task(next.id)?.completed).toBe(false);
    await device.expectForeseen();
  });

  test('several opened occurrences: the latest is the open one', async () => {
    const device = await Device.open(service, anna);
    const id = device.make({ title: 'tick', dueDate: '2030-01-07', recurrence: daily });
    const ids = [id];
    for (let count = 0; count < 2; count += 1) {
      device.set(ids.at(-1) ?? '', { completed: true });
      ids.push(device.open(id).id);
      untilLater();
    }
    device.setAll(ids.slice(0, 2), { completed: false });
    expect(ids.map((each) => device.task(each)?.recurrence?.number)).toEqual([undefined, 2, undefined]);
    await device.expectForeseen();
  });

  test('nothing of an unsent completion that is undone', async () => {
    const device = await Device.open(service, anna);
    const id = device.make({ title: 'tick', dueDate: '2030-01-07', recurrence: daily });
    device.make({ title: 'below', parentId: id });
    await device.send();
    const before = contentOf(device.replica);
    device.set(id, { completed: true });
    expect(device.series(id)).toHaveLength(2);
    device.replica.undo();
    expect(contentOf(device.replica)).toEqual(before);
    expect(device.replica.read(pending)).toEqual([]);
  });

  test('nothing of a rule that the service refuses', async () => {
    const device = await Device.open(service, anna);
    const id = device.make({ title: 'bad', dueDate: '2030-01-07' });
    device.set(id, { recurrence: { rule: 'FREQ=HOURLY' }, title: 'worse' });
    expect(device.task(id)).toMatchObject({ title: 'worse', recurrence: null });
    await device.send();
    expect(device.replica.read(refused)).toMatchObject([{ error: { errors: [{ path: 'input.recurrence.rule' }] } }]);
    expect(device.task(id)).toMatchObject({ title: 'bad', recurrence: null });
  });
});
