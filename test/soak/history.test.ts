import { expect, test } from '@jest/globals';
import type { SeenBatch } from '../sync/replica.ts';
import { type Effect, Effects } from './effects.ts';
import { History } from './history.ts';
import { rest } from './requests.ts';
import type { Answered } from './sender.ts';

const user = 'user_anna';
const project = { id: 'proj_a', name: 'first', workspaceId: null };
const task = (id: string, dueDate: string, projectId = project.id) => ({ id, dueDate, projectId, tags: [] });

const batch = (changes: Partial<SeenBatch>): SeenBatch => ({
  ...{ cursor: 'c', full: false, hasMore: false, user: null, workspaces: [], projects: [], sections: [], tags: [] },
  ...{ tasks: [], deleted: [], mutations: [], ...changes },
});

async function historyOf(writes: Answered[] = [], more: Partial<Effect>[] = []) {
  const effects = await Effects.begin(() => Promise.resolve([]));
  const committed = [
    { transaction: '1', id: project.id, mark: 'first' },
    ...['second', 'third'].flatMap((mark) => ['task_a', 'task_b'].map((id) => ({ transaction: mark, id, mark }))),
    ...more,
  ];
  for (const [index, each] of committed.entries()) {
    effects.add({
      ...{ number: index + 1, transaction: '', id: '', mark: '', spaceId: user, kind: 'WRITTEN' },
      ...each,
    });
  }
  const history = new History(user, effects);
  return (batches: Partial<SeenBatch>[]) => {
    for (const each of batches) history.apply(batch(each), new Map(writes.map((write) => [write.key, write])));
    return history.problems;
  };
}

const both = (mark: string) => [task('task_a', mark), task('task_b', mark)];
const load = { full: true, projects: [project], tasks: both('second') };

test.each<[string, Partial<SeenBatch>[]]>([
  ['a load and a change', [load, { tasks: both('third') }]],
  [
    'a change in two batches',
    [load, { tasks: [task('task_a', 'third')], hasMore: true }, { tasks: [task('task_b', 'third')] }],
  ],
  ['a load after the change', [{ ...load, tasks: both('third') }]],
])('finds nothing in %s', async (_what, batches) => {
  expect((await historyOf())(batches)).toEqual([]);
});

test.each<[string, Partial<SeenBatch>[], string[]]>([
  [
    'what was never committed',
    [load, { tasks: both('made up') }],
    ['never committed: task_a as made up', 'never committed: task_b as made up'],
  ],
  ['half a transaction', [load, { tasks: [task('task_a', 'third')] }], ['in part: task_a without task_b as third']],
  [
    'a state that goes back',
    [{ ...load, tasks: both('third') }, { tasks: both('second') }],
    ['goes back: task_a to second', 'goes back: task_b to second'],
  ],
  [
    'a task without its project',
    [{ full: true, tasks: both('second') }],
    ['lacks proj_a: task_a', 'lacks proj_a: task_b'],
  ],
])('finds %s', async (_what, batches, problems) => {
  expect((await historyOf())(batches)).toEqual(problems);
});

test('finds a mutation that is named before its effect', async () => {
  const request = rest('PATCH', '/');
  const written: Answered = { request, key: 'k', userId: user, isDone: true, mark: 'third' };
  const named = { mutations: ['k'] };
  expect((await historyOf([written]))([load, { ...named, tasks: both('third') }])).toEqual([]);
  expect((await historyOf([written]))([load, named])).toEqual(['named before its effect: k (third)']);
  const deletion: Answered = { request, key: 'k', userId: user, isDone: true, deletes: 'task_a' };
  const gone = [{ transaction: '4', id: 'task_a', mark: 'third', kind: 'GONE' as const }];
  const deleted = [{ type: 'TASK', id: 'task_a' }];
  expect((await historyOf([deletion], gone))([load, { ...named, deleted }])).toEqual([]);
  expect((await historyOf([deletion], gone))([load, named])).toEqual(['named before its effect: k (task_a)']);
});

test('wants nothing of what the user cannot see, or what has gone since', async () => {
  const away = { transaction: 'third', id: 'task_c', mark: 'third' };
  expect((await historyOf([], [{ ...away, spaceId: 'wksp_a' }]))([load, { tasks: both('third') }])).toEqual([]);
  expect((await historyOf([], [away]))([load, { tasks: both('third') }])).toHaveLength(2);
  const gone = { transaction: '5', id: 'task_c', mark: 'third', kind: 'GONE' as const };
  expect((await historyOf([], [away, gone]))([load, { tasks: both('third') }])).toEqual([]);
});
