import { expect, test } from '@jest/globals';
import type { ReceivedBatch } from '../sync/replica.ts';
import { type Effect, Effects } from './effects.ts';
import { History } from './history.ts';
import { rest } from './requests.ts';
import type { SentWrite } from './load.ts';

const user = 'user_anna';
const project = { id: 'proj_a', name: 'first', workspaceId: null };
const task = (id: string, dueDate: string, projectId = project.id) => ({ id, dueDate, projectId, tags: [] });

const batch = (changes: Partial<ReceivedBatch>): ReceivedBatch => ({
  ...{ cursor: 'c', full: false, hasMore: false, user: null, workspaces: [], projects: [], sections: [], tags: [] },
  ...{ tasks: [], comments: [], deleted: [], mutations: [], ...changes },
});

async function historyOf(writes: SentWrite[] = [], further: Partial<Effect>[] = []) {
  const effects = await Effects.start(() => Promise.resolve([]));
  const committed = [
    { transaction: '1', id: project.id, mark: 'first' },
    ...['second', 'third'].flatMap((mark) => ['task_a', 'task_b'].map((id) => ({ transaction: mark, id, mark }))),
    ...further,
  ];
  for (const [index, each] of committed.entries()) {
    effects.add({
      ...{ number: index + 1, transaction: '', id: '', mark: '', spaceId: user, kind: 'WRITTEN' },
      ...each,
    });
  }
  const history = new History(user, effects);
  return (batches: Partial<ReceivedBatch>[]) => {
    for (const each of batches) history.apply(batch(each), new Map(writes.map((write) => [write.key ?? '', write])));
    return history.problems;
  };
}

const effectsOnBoth = (mark: string) => [task('task_a', mark), task('task_b', mark)];
const load = { full: true, projects: [project], tasks: effectsOnBoth('second') };

test.each<[string, Partial<ReceivedBatch>[]]>([
  ['a load and a change', [load, { tasks: effectsOnBoth('third') }]],
  [
    'a change in two batches',
    [load, { tasks: [task('task_a', 'third')], hasMore: true }, { tasks: [task('task_b', 'third')] }],
  ],
  ['a load after the change', [{ ...load, tasks: effectsOnBoth('third') }]],
])('finds nothing in %s', async (_label, batches) => {
  expect((await historyOf())(batches)).toEqual([]);
});

test.each<[string, Partial<ReceivedBatch>[], string[]]>([
  [
    'what was never committed',
    [load, { tasks: effectsOnBoth('made up') }],
    ['never committed: task_a as made up', 'never committed: task_b as made up'],
  ],
  ['half a transaction', [load, { tasks: [task('task_a', 'third')] }], ['in part: task_a without task_b as third']],
  [
    'a state that goes back',
    [{ ...load, tasks: effectsOnBoth('third') }, { tasks: effectsOnBoth('second') }],
    ['goes back: task_a to second', 'goes back: task_b to second'],
  ],
  [
    'a task without its project',
    [{ full: true, tasks: effectsOnBoth('second') }],
    ['lacks proj_a: task_a', 'lacks proj_a: task_b'],
  ],
])('finds %s', async (_label, batches, problems) => {
  expect((await historyOf())(batches)).toEqual(problems);
});

test('finds a mutation that is named before its effect', async () => {
  const request = rest('PATCH', '/');
  const thirdWrite: SentWrite = {
    request,
    key: 'k',
    person: { user: { id: user }, tags: [] },
    outcome: 'acknowledged',
    mark: 'third',
  };
  const named = { mutations: ['k'] };
  expect((await historyOf([thirdWrite]))([load, { ...named, tasks: effectsOnBoth('third') }])).toEqual([]);
  expect((await historyOf([thirdWrite]))([load, named])).toEqual(['named before its effect: k (third)']);
  const deletion: SentWrite = {
    request,
    key: 'k',
    person: { user: { id: user }, tags: [] },
    outcome: 'acknowledged',
    deletes: 'task_a',
  };
  const laterDeletion = [{ transaction: '4', id: 'task_a', mark: 'third', kind: 'GONE' as const }];
  const deleted = [{ type: 'TASK', id: 'task_a' }];
  expect((await historyOf([deletion], laterDeletion))([load, { ...named, deleted }])).toEqual([]);
  expect((await historyOf([deletion], laterDeletion))([load, named])).toEqual(['named before its effect: k (task_a)']);
});

test('expects no data that the user cannot see or that is gone', async () => {
  const thirdEffect = { transaction: 'third', id: 'task_c', mark: 'third' };
  expect(
    (await historyOf([], [{ ...thirdEffect, spaceId: 'wksp_a' }]))([load, { tasks: effectsOnBoth('third') }]),
  ).toEqual([]);
  expect((await historyOf([], [thirdEffect]))([load, { tasks: effectsOnBoth('third') }])).toHaveLength(2);
  const laterDeletion = { transaction: '5', id: 'task_c', mark: 'third', kind: 'GONE' as const };
  expect((await historyOf([], [thirdEffect, laterDeletion]))([load, { tasks: effectsOnBoth('third') }])).toEqual([]);
});
