import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { makeTask } from '../kit/make.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp, type User } from '../kit/users.ts';
import { Agent } from './agent.ts';

interface Tasks {
  tasks: { id: string; dueDate?: string; dueTime?: string }[];
}

let service: Service;
let anna: User;
let agent: Agent;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());
beforeEach(async () => {
  anna = await signUp(service);
  agent = await Agent.of(service, anna);
  await anna.data('mutation { updatePreferences(input: { timeZone: "Pacific/Honolulu" }) { id } }');
});

describe('a due time', () => {
  test('stays if only the day changes', async () => {
    const { tasks } = await agent.call<Tasks>('create_tasks', {
      tasks: [{ title: 'call', dueDate: '2030-03-01', dueTime: '22:15' }],
    });
    expect(tasks).toMatchObject([{ dueDate: '2030-03-01', dueTime: '2030-03-02T08:15:00.000Z' }]);
    const id = tasks[0]?.id;
    const moved = await agent.call<Tasks>('update_tasks', { tasks: [{ id, dueDate: '2030-04-01' }] });
    expect(moved.tasks).toMatchObject([{ dueDate: '2030-04-01', dueTime: '2030-04-02T08:15:00.000Z' }]);
    const allDay = await agent.call<Tasks>('update_tasks', { tasks: [{ id, dueTime: '' }] });
    expect(allDay.tasks[0]).toMatchObject({ dueDate: '2030-04-01' });
    expect(allDay.tasks[0]).not.toHaveProperty('dueTime');
    const offset = await agent.call<Tasks>('update_tasks', { tasks: [{ id, dueTime: '2030-05-01T01:00:00Z' }] });
    expect(offset.tasks).toMatchObject([{ dueDate: '2030-04-30', dueTime: '2030-05-01T01:00:00.000Z' }]);
  });

  test('keeps its seconds', async () => {
    const due = { dueDate: '2030-03-01', dueTime: '10:00:30' };
    const { tasks } = await agent.call<Tasks>('create_tasks', { tasks: [{ title: 'call', ...due }] });
    expect(tasks).toMatchObject([{ dueDate: '2030-03-01', dueTime: '2030-03-01T20:00:30.000Z' }]);
    const id = tasks[0]?.id;
    const moved = await agent.call<Tasks>('update_tasks', { tasks: [{ id, dueDate: '2030-04-01' }] });
    expect(moved.tasks).toMatchObject([{ dueDate: '2030-04-01', dueTime: '2030-04-01T20:00:30.000Z' }]);
    const local = await agent.call<Tasks>('update_tasks', { tasks: [{ id, dueTime: '2030-04-02T23:59:59.5' }] });
    expect(local.tasks).toMatchObject([{ dueDate: '2030-04-02', dueTime: '2030-04-03T09:59:59.500Z' }]);
  });

  test('that the clocks skip or repeat is the one of a series', async () => {
    await anna.data('mutation { updatePreferences(input: { timeZone: "America/New_York" }) { id } }');
    const skipped = { title: 'skipped', dueDate: '2030-03-10', dueTime: '02:30' };
    const repeated = { title: 'repeated', dueTime: '2030-11-03T01:30', repeat: 'FREQ=DAILY' };
    const { tasks } = await agent.call<Tasks>('create_tasks', { tasks: [skipped, repeated] });
    expect(tasks).toMatchObject([
      { dueDate: '2030-03-10', dueTime: '2030-03-10T07:30:00.000Z' },
      { dueDate: '2030-11-03', dueTime: '2030-11-03T05:30:00.000Z' },
    ]);
    // The second of two equal local times.
    const second = { id: tasks[0]?.id, dueTime: '2030-11-03T06:30:00Z' };
    await agent.call('update_tasks', { tasks: [second] });
    const same = await agent.call<Tasks>('update_tasks', { tasks: [{ id: second.id, dueDate: '2030-11-03' }] });
    expect(same.tasks).toMatchObject([{ dueDate: '2030-11-03', dueTime: '2030-11-03T06:30:00.000Z' }]);
  });

  test('is on the due date', async () => {
    const { id } = await makeTask(anna, { dueDate: '2030-03-01' });
    const refused: [object, RegExp][] = [
      [{ dueDate: '2030-03-01', dueTime: '2030-03-02T10:00' }, /dueTime must be on the day of dueDate$/],
      [{ dueDate: '2030-03-01', dueTime: '2030-03-01T05:00:00Z' }, /dueTime must be on the day of dueDate$/],
      [{ dueDate: '', dueTime: '10:00' }, /dueTime must not be given without a date$/],
      [{ dueDate: '9999-12-31', dueTime: '23:59' }, /dueTime must be HH:MM, or a date and time that exists/],
    ];
    for (const [due, fault] of refused) {
      expect(await agent.fault('update_tasks', { tasks: [{ id, ...due }] })).toMatch(fault);
      expect(await agent.fault('create_tasks', { tasks: [{ title: 'new', ...due }] })).toMatch(fault);
    }
    const own = { dueDate: '2030-03-01', dueTime: '2030-03-02T05:00:00Z' };
    expect(await agent.call('update_tasks', { tasks: [{ id, ...own }] })).toMatchObject({
      tasks: [{ dueDate: '2030-03-01', dueTime: '2030-03-02T05:00:00.000Z' }],
    });
  });
});
