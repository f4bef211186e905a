import { afterEach, beforeAll, expect, test } from '@jest/globals';
import { tasks } from 'taskgate-client';
import { withWrongClock } from '../kit/clock.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { signUp, type User } from '../kit/users.ts';
import { closeDevices, Device } from './device.ts';
import { untilShown } from './kit.ts';

const dayMs = 86_400_000;

let service: Service;
let anna: User;
beforeAll(async () => {
  service = await sharedService();
  anna = await signUp(service);
});
afterEach(closeDevices);

test('a completion counts from the day on which it was made offline', async () => {
  const device = await Device.open(service, anna);
  const recurrence = { rule: 'FREQ=DAILY;INTERVAL=3', basis: 'COMPLETION' as const, timeZone: 'UTC' };
  const ids = ['one', 'many'].map((title) => device.make({ title, recurrence }));
  const [again, isNew] = [
    device.make({ title: 'again', recurrence }),
    device.make({ title: 'new', dueDate: '2026-01-01' }),
  ];
  ids.push(again, isNew);
  device.make({ title: 'behind' });
  await device.send();
  const yesterday = new Date(Date.now() - dayMs).toISOString();
  await service.sql(`UPDATE tasks SET created_at = created_at - interval '9 days' WHERE id = ANY ($1)`, [ids]);
  const [one = '', many = ''] = ids;
  await device.send(() => untilShown(device.replica, tasks.byId(many), (task) => (task?.createdAt ?? '9') < yesterday));
  await withWrongClock(-dayMs, () => {
    device.set(one, { completed: true });
    device.setAll([many], { completed: true });
    device.set(again, { recurrence: { rule: recurrence.rule }, completed: true });
    device.set(isNew, { recurrence, completed: true });
    return Promise.resolve();
  });
  const date = new Date(Date.parse(yesterday) + 3 * dayMs).toISOString().slice(0, 10);
  for (const id of ids) expect(device.open(id).recurrence?.date).toBe(date);
  await device.expectForeseen();
});

test('two devices complete the same series offline: it has each occurrence once, and the edit of one device', async () => {
  const [first, second] = [await Device.open(service, anna), await Device.open(service, anna)];
  const id = first.make({ title: 'shared', dueDate: '2030-01-07', recurrence: { rule: 'FREQ=DAILY' } });
  await first.send();
  await second.send(() => untilShown(second.replica, tasks.byId(id), (task) => task !== undefined));
  first.set(id, { completed: true });
  first.set(first.open(id).id, { title: 'edited' });
  second.set(id, { completed: true });
  second.set(second.open(id).id, { completed: true });
  await first.send();
  await second.send();
  for (const device of [first, second]) {
    await device.send(() => untilShown(device.replica, tasks.all(), () => device.series(id).length === 3));
    expect(device.series(id).map(({ title, completed }) => [title, completed])).toEqual([
      ['shared', true],
      ['edited', true],
      ['edited', false],
    ]);
    await device.expectEqual();
  }
});
