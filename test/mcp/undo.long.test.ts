import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { makeComment, makeTask } from '../kit/make.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp, type User } from '../kit/users.ts';
import { Agent, countOperations, type Tasks, titlesOf } from './agent.ts';

interface Undone {
  undone: {
    operationId: string;
    applied: number;
    conflicts: { id?: string; field?: string }[];
    moreConflicts?: number;
  }[];
  operationId?: string;
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
});

describe('undo', () => {
  test('takes back twelve writes as one operation, except what a person changed since', async () => {
    const operationIds: string[] = [];
    const write = async (name: string, args: object) => {
      const result = await agent.call<Tasks>(name, args);
      operationIds.push(result.operationId ?? '');
      return result.tasks;
    };
    const old = await makeTask(anna, { title: 'old' });
    const [one, two] = [
      ...(await write('create_tasks', { tasks: [{ title: 'one' }] })),
      ...(await write('create_tasks', { tasks: [{ title: 'two' }] })),
    ];
    for (let day = 1; day <= 5; day += 1) {
      await write('update_tasks', { tasks: [{ id: old.id, dueDate: `2030-01-0${day}` }] });
      await write('update_tasks', { tasks: [{ id: two?.id, priority: day % 2 ? 'high' : 'low' }] });
    }
    expect(operationIds).toHaveLength(12);
    await anna.patch(`/api/v2/todo/${one?.id}`, { title: 'renamed' });
    const before = await countOperations(anna);
    const dry = await agent.call<Undone>('undo', { operationIds, dryRun: true });
    expect(await countOperations(anna)).toBe(before);
    const result = await agent.call<Undone>('undo', { operationIds });
    expect({ ...result, operationId: undefined }).toEqual({ ...dry, operationId: undefined });
    expect(result.undone.map(({ operationId }) => operationId)).toEqual([...operationIds].reverse());
    const conflicts = result.undone.flatMap((each) => each.conflicts);
    expect(conflicts).toMatchObject([{ id: one?.id }]);
    expect(await titlesOf(agent)).toEqual(['old', 'renamed']);
    expect((await agent.call<{ metadata: object }>('fetch', { id: old.id })).metadata).not.toHaveProperty('dueDate');
    expect(await countOperations(anna)).toBe(before + 1);
    await agent.call('undo', { operationIds: [result.operationId] });
    expect(await titlesOf(agent)).toEqual(['old', 'renamed', 'two']);
  });

  test('says how many conflicts it leaves out', async () => {
    const { tasks } = await agent.call<Tasks>('create_tasks', {
      tasks: Array.from({ length: 50 }, (_each, index) => ({ title: `task ${index}` })),
    });
    const write = async (mark: string, priority: string, by = agent) =>
      (
        await by.call<Tasks>('update_tasks', {
          tasks: tasks.map(({ id }) => ({ id, title: mark, description: mark, priority, dueDate: '2030-01-01' })),
        })
      ).operationId;
    const operationIds = [await write('one', 'low'), await write('two', 'medium')];
    await write('three', 'high', await Agent.of(service, anna));
    const { undone } = await agent.call<Undone>('undo', { operationIds, dryRun: true });
    const [newer] = undone;
    expect(newer?.moreConflicts).toBeGreaterThan(0);
    expect((newer?.conflicts.length ?? 0) + (newer?.moreConflicts ?? 0)).toBe(150);
  });

  test('refuses an operation that it cannot undo, and undoes none', async () => {
    const { operationId } = await agent.call<Tasks>('create_tasks', { tasks: [{ title: 'milk' }] });
    const operationIds = [operationId, 'op_00000000000000000000000000'];
    const fault = /^NOT_FOUND: operationIds\[1\]: .*, and history those of operations$/;
    expect(await agent.fault('undo', { operationIds })).toMatch(fault);
    const stranger = await Agent.of(service, await signUp(service));
    expect(await stranger.fault('undo', { operationIds: [operationId] })).toMatch(/^NOT_FOUND: operationIds\[0\]: /);
    expect(await titlesOf(agent)).toEqual(['milk']);
    expect(await agent.fault('undo', { operationIds: [operationId], key: 'x' })).toMatch(
      /the arguments are operationIds, dryRun/,
    );
    expect(await makeComment(anna, (await makeTask(anna)).id)).toBeDefined();
  });
});
