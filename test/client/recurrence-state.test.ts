import { describe, expect, test } from '@jest/globals';
import type { Mutations, Task, User } from 'taskgate-client';
import { mutations } from '../../client/src/replica/mutations.ts';
import { recordKeyOf } from '../../client/src/replica/outbox.ts';
import { ReplicaState } from '../../client/src/replica/state.ts';
import { withWrongClock } from '../kit/clock.ts';

const at = '2026-11-20T22:30:00.000Z';
const project = { __typename: 'Project', id: 'proj_1', isDefault: true, name: 'Inbox' };
const userIn = (timeZone: string) => ({ __typename: 'User', id: 'user_1', preferences: { timeZone } }) as User;
const task = (id: string, fields: Partial<Task> = {}) =>
  ({
    ...{ __typename: 'Task', id, title: id, projectId: 'proj_1', sectionId: null, parentId: null, tagIds: [] },
    ...{ dueDate: null, dueTime: null, isAllDay: true, completed: false, completedAt: null, recurrence: null },
    ...{ createdAt: '2026-11-01T00:00:00.000Z', updatedAt: '2026-11-01T00:00:00.000Z', sortKey: 'a1', assigneeIds: [] },
    ...fields,
  }) as Task;
const idOf = (digit: string) => `task_00000000000000000000000${digit}`;

describe('the effect of an unsent mutation stays the same', () => {
  const states = () => {
    const state = new ReplicaState();
    const hold = (...entities: { id: string }[]) => state.apply(new Map(entities.map((each) => [each.id, each])));
    hold(project, userIn('Asia/Tokyo'), task(idOf('1')), task(idOf('5'), { sortKey: 'a2' }));
    const mutate = (key: string, variables: Mutations['updateTask']) => {
      const made = mutations.updateTask.prepare?.(variables, state.view);
      const entry = { key, name: 'updateTask', document: '', variables, hints: {}, ...made, at, state: 'queued' };
      state.apply(new Map([[recordKeyOf(key), entry]]));
    };
    return { state, hold, mutate };
  };

  test('if the zone of the user, the tasks around it and the day change', async () => {
    const { state, hold, mutate } = states();
    mutate('mut_1', { id: idOf('1'), input: { recurrence: { rule: 'FREQ=DAILY' } } });
    mutate('mut_2', { id: idOf('1'), input: { completed: true } });
    const shown = () => [idOf('1'), idOf('2')].map((id) => state.view.entity(id));
    const before = shown();
    expect(before).toMatchObject([
      // It is the 21st in Tokyo.
      { completed: true, completedAt: at, dueDate: '2026-11-21', recurrence: { timeZone: 'Asia/Tokyo' } },
      { completed: false, createdAt: at, dueDate: '2026-11-22', sortKey: 'a1V' },
    ]);
    await withWrongClock(40 * 86_400_000, () => {
      hold(userIn('America/New_York'), task(idOf('6'), { sortKey: 'a1F' }), task(idOf('7'), { sortKey: 'a1k' }));
      return Promise.resolve();
    });
    expect(shown()).toEqual(before);
  });

  test('but keeps a next occurrence that the service has changed meanwhile', () => {
    const { state, hold, mutate } = states();
    const recurrence = { rule: 'FREQ=DAILY', basis: 'EACH', timeZone: 'UTC', start: '2026-11-19', time: null } as const;
    const series = { ...recurrence, seriesId: 'seri_1', summary: '' };
    const completed = { completed: true, completedAt: '2026-11-19T08:00:00.000Z' };
    const next = task(idOf('2'), {
      ...{ createdAt: completed.completedAt, updatedAt: completed.completedAt },
      recurrence: { ...series, date: '2026-11-20', number: 2 },
    });
    hold(task(idOf('1'), { ...completed, recurrence: { ...series, date: '2026-11-19', number: 1 } }), next);
    mutate('mut_1', { id: idOf('1'), input: { completed: false } });
    expect(state.view.entity(next.id)).toBeUndefined();
    expect(state.view.entity(idOf('1'))).toMatchObject({ completed: false, recurrence: { number: 1 } });
    hold({ ...next, title: 'changed', updatedAt: '2026-11-20T09:00:00.000Z' } as Task);
    expect(state.view.entity(next.id)).toMatchObject({ title: 'changed' });
    expect(state.view.entity(idOf('1'))).toMatchObject({ completed: false, recurrence: null });
  });
});
