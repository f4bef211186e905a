import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Query, select, tasks, type Task } from 'taskgate-client';
import { indexes } from '../../client/src/replica/indexes.ts';
import { ReplicaState } from '../../client/src/replica/state.ts';

const task = (id: string, fields: Partial<Task> = {}): Task => ({
  __typename: 'Task',
  id,
  title: id,
  description: null,
  priority: null,
  dueDate: null,
  dueTime: null,
  isAllDay: true,
  completed: false,
  completedAt: null,
  color: null,
  sortKey: 'a0',
  recurrence: null,
  claim: null,
  reminder: false,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
  parentId: null,
  projectId: 'proj_1',
  sectionId: null,
  tagIds: [],
  assigneeIds: [],
  createdById: null,
  ...fields,
});

const stateOf = (...held: Task[]) => {
  const state = new ReplicaState();
  const change = (...next: Task[]) => state.apply(new Map(next.map((each) => [each.id, each])));
  change(...held);
  return { state, change };
};

function counted<Result>(query: Query<Result>) {
  const counter = { times: 0 };
  const evaluate: typeof query.evaluate = (source) => {
    counter.times += 1;
    return query.evaluate(source);
  };
  return { counter, query: { ...query, evaluate } };
}

const oneOf = (...values: string[]) => fc.constantFrom(...values);
const anyTask = fc
  .record({
    id: fc.integer({ min: 0, max: 99 }).map((number) => `task_${number}`),
    sortKey: oneOf('Zz', 'a0', 'a1', 'a1V', 'b00'),
    projectId: oneOf('proj_1', 'proj_2'),
    sectionId: fc.option(oneOf('sect_1', 'sect_2')),
    parentId: fc.option(oneOf('task_1', 'task_2')),
    tagIds: fc.uniqueArray(oneOf('tag_1', 'tag_2', 'tag_3')),
    completed: fc.boolean(),
    dueDate: fc.option(oneOf('2026-11-20', '2026-11-21')),
    dueTime: fc.option(oneOf('2026-11-20T08:00:00.000Z', '2026-11-21T23:00:00.000Z')),
  })
  .map(({ id, ...fields }) => task(id, fields));
const arbitraryChange = fc.array(
  fc.oneof(
    anyTask.map((each) => [each.id, each] as const),
    anyTask.map(({ id }) => [id, undefined] as const),
  ),
  { maxLength: 60 },
);

describe('the lists of a view', () => {
  test('equal newly built lists after any changes, in the same order', () => {
    fc.assert(
      fc.property(fc.array(arbitraryChange, { minLength: 1, maxLength: 8 }), (changes) => {
        const state = new ReplicaState();
        const tasksById = new Map<string, Task>();
        for (const change of changes) {
          state.apply(new Map(change));
          for (const [id, each] of change) {
            if (each) tasksById.set(id, each);
            else tasksById.delete(id);
          }
        }
        for (const index of indexes.filter(({ type }) => type === 'Task')) {
          const values = new Set([...tasksById.values()].flatMap((each) => index.valuesOf(each)));
          for (const value of [...values, 'none']) {
            const expected = [...tasksById.values()].filter((each) => index.valuesOf(each).includes(value));
            expect(state.view.list(`${index.name}:${value}`)).toEqual(expected.sort(index.compare));
          }
        }
      }),
      { numRuns: 200 },
    );
  });

  test('are the same arrays of the same objects until something in them changes', () => {
    const { state, change } = stateOf(task('task_1'), task('task_2', { projectId: 'proj_2' }));
    const [first, second] = [tasks.byProject('proj_1'), tasks.byProject('proj_2')].map((query) =>
      query.evaluate(state.view),
    );
    change(task('task_1'), task('task_2', { projectId: 'proj_2', title: 'another' }));
    expect(tasks.byProject('proj_1').evaluate(state.view)).toBe(first);
    expect(second).toEqual([task('task_2', { projectId: 'proj_2' })]);
    expect(tasks.byProject('proj_2').evaluate(state.view)).toEqual([
      task('task_2', { projectId: 'proj_2', title: 'another' }),
    ]);
  });
});

test('a task with a time is due on the local day of that moment', () => {
  const timeAt = (hour: number) => new Date(2026, 10, 20, hour, 30).toISOString();
  const { state, change } = stateOf(
    task('task_1', { dueDate: '2026-11-20' }),
    task('task_2', { dueDate: '2026-11-21', dueTime: timeAt(23) }),
    task('task_3', { dueDate: null, dueTime: timeAt(0) }),
    task('task_4', { dueDate: '2026-11-20', dueTime: timeAt(24) }),
    task('task_5', { dueDate: null }),
  );
  const idsOf = (range?: Parameters<typeof tasks.due>[0]) =>
    tasks
      .due(range)
      .evaluate(state.view)
      .map(({ id }) => id);
  expect(idsOf({ from: '2026-11-20', to: '2026-11-20' })).toEqual(['task_1', 'task_3', 'task_2']);
  expect(idsOf()).toEqual(['task_1', 'task_3', 'task_2', 'task_4']);
  change(task('task_3', { completed: true }));
  expect(idsOf({ to: '2026-11-20' })).toEqual(['task_1', 'task_2']);
});

describe('a subscription to a query', () => {
  test('is evaluated only if its list has changed', () => {
    const { state, change } = stateOf(task('task_1'));
    const [near, far] = [counted(tasks.byProject('proj_1')), counted(tasks.byProject('proj_2'))];
    const results: (readonly Task[])[] = [];
    state.view.watch(near.query, (result) => results.push(result));
    state.view.watch(far.query, (result) => results.push(result));
    [near, far].forEach(({ counter }) => (counter.times = 0));
    change(task('task_1', { completed: true }), task('task_3'));
    expect([near.counter.times, far.counter.times]).toEqual([1, 0]);
    expect(results).toEqual([[task('task_1', { completed: true }), task('task_3')]]);
  });

  test('is notified of a moved task in the lists that it leaves and enters', () => {
    const { state, change } = stateOf(task('task_1'));
    const results: string[] = [];
    for (const id of ['proj_1', 'proj_2', 'proj_3']) state.view.watch(tasks.byProject(id), () => results.push(id));
    change(task('task_1', { projectId: 'proj_2' }));
    expect(results).toEqual(['proj_1', 'proj_2']);
  });

  test('is not notified if the result stays the same', () => {
    const { state, change } = stateOf(
      task('task_1', { dueDate: '2026-11-20' }),
      task('task_2', { dueDate: '2026-12-24' }),
    );
    const results: unknown[] = [];
    state.view.watch(tasks.due({ to: '2026-11-30' }), (due) => results.push(due));
    state.view.watch(
      select(tasks.open(), ({ length }) => length),
      (count) => results.push(count),
    );
    change(task('task_2', { dueDate: '2026-12-31' }));
    expect(results).toEqual([]);
    change(task('task_2', { dueDate: '2026-11-30' }));
    expect(results).toEqual([[task('task_1', { dueDate: '2026-11-20' }), task('task_2', { dueDate: '2026-11-30' })]]);
  });

  test('can be ended', () => {
    const { state, change } = stateOf(task('task_1'));
    const results: unknown[] = [];
    const stop = state.view.watch(tasks.byId('task_1'), (now) => results.push(now?.title));
    change(task('task_1', { title: 'seen' }));
    stop();
    change(task('task_1', { title: 'unseen' }));
    expect(results).toEqual(['seen']);
  });
});
