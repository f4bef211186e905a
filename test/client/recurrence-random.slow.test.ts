import { afterEach, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type RecurrenceInput, type Task, tasks } from 'taskgate-client';
import { nextId } from '../../packages/recurrence/series.ts';
import { seedOfRun } from '../kit/random.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { signUp, type User } from '../kit/users.ts';
import { closeDevices, Device, untilLater } from './device.ts';

let service: Service;
let anna: User;
beforeAll(async () => {
  service = await sharedService();
  anna = await signUp(service);
  await anna.patch('/api/v1/user/user-preferences', { timeZone: 'Europe/Berlin' });
});
afterEach(closeDevices);

const recurrence = fc.record<RecurrenceInput>(
  {
    rule: fc.constantFrom('FREQ=DAILY', 'FREQ=WEEKLY;BYDAY=MO,TH', 'FREQ=MONTHLY;BYMONTHDAY=-1', 'FREQ=DAILY;COUNT=3'),
    basis: fc.constantFrom('SCHEDULE', 'EACH'),
    timeZone: fc.constantFrom('Europe/Berlin', 'Australia/Lord_Howe'),
  },
  { requiredKeys: ['rule', 'basis'] },
);
const completion = fc.constantFrom<RecurrenceInput>(
  { rule: 'FREQ=MONTHLY', basis: 'COMPLETION' },
  { rule: 'FREQ=DAILY;INTERVAL=3;COUNT=2', basis: 'COMPLETION' },
);
const due = fc.constantFrom<object>(
  { dueDate: '2030-03-30', isAllDay: true },
  { dueDate: '2025-01-31', isAllDay: true },
  // Late at night in Europe, and in a gap of its clocks a day later.
  { dueDate: '2030-03-30', isAllDay: false, dueTime: '2030-03-30T01:30:00.000Z' },
);
const action = fc.record({
  name: fc.constantFrom(
    'make',
    'makeBelow',
    'edit',
    'move',
    'tick',
    'tick',
    'tick',
    'untick',
    'untick',
    'skip',
    'set',
    'end',
    'undo',
  ),
  /** Choose among the tasks. */
  first: fc.nat(),
  second: fc.nat(),
  isBulk: fc.boolean(),
  due,
  recurrence: fc.oneof({ weight: 3, arbitrary: recurrence }, completion),
});
type Action = typeof action extends fc.Arbitrary<infer Value> ? Value : never;

const isOpenOccurrence = ({ recurrence: current, completed }: Task) => current !== null && !completed;

/** Does nothing if the service would refuse it, or would have to choose an id. */
function act(device: Device, { name, first, second, isBulk, ...values }: Action): void {
  const shown = device.replica.read(tasks.all());
  const pick = (number: number, fits: (task: Task) => boolean): string | undefined => {
    const fitting = shown.filter(fits);
    return fitting[number % fitting.length]?.id;
  };
  const target = pick(first, () => true);
  const another = pick(second, () => true);
  if (!target || !another) return void device.make({ title: 'again' });
  const occurrence = pick(first, isOpenOccurrence);
  const fresh = pick(first, ({ id, parentId, completed }) => !parentId && !completed && !device.task(nextId(id)));
  if (name === 'make') device.make({ title: 'made', ...values.due, recurrence: values.recurrence });
  if (name === 'makeBelow') {
    const parentId = pick(first, ({ parentId: above }) => !above || !device.task(above)?.parentId);
    if (parentId) device.make({ title: 'below', parentId, ...(isBulk ? {} : values.due) });
  }
  if (name === 'edit') device.set(target, { description: `edited ${second}` });
  if (name === 'move') {
    const parentId = device.task(target)?.parentId;
    const sibling = pick(second, (task) => task.parentId === parentId && task.id !== target);
    if (sibling) device.replica.mutate('moveTask', { id: target, after: sibling });
  }
  if (name === 'tick' || name === 'untick') {
    const completed = name === 'tick';
    if (isBulk) device.setAll([...new Set([target, another])], { completed });
    else device.set(pick(first, (task) => task.completed !== completed) ?? target, { completed });
  }
  if (name === 'skip' && occurrence && !device.task(occurrence)?.recurrence?.rule.includes('COUNT')) {
    device.replica.mutate('skipOccurrence', { id: occurrence });
  }
  if (name === 'set' && fresh) device.set(fresh, { ...values.due, recurrence: values.recurrence });
  if (name === 'end' && occurrence && device.series(occurrence).length === 1)
    device.set(occurrence, { recurrence: null });
  if (name === 'undo') device.replica.undo();
}

test('a replica shows after random actions offline what the service makes of them', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 5, maxLength: 25 }), async (actions) => {
      const device = await Device.open(service, anna);
      device.make({ title: 'first', dueDate: '2030-03-30', recurrence: { rule: 'FREQ=DAILY' } });
      for (const each of actions) {
        act(device, each);
        untilLater();
      }
      await device.expectForeseen();
      device.replica.mutate('deleteTasks', { ids: device.replica.read(tasks.all()).map(({ id }) => id) });
      await device.send();
      expect(device.replica.read(tasks.all())).toEqual([]);
      await closeDevices();
    }),
    { numRuns: 20, endOnFailure: true, seed: seedOfRun() },
  );
});
