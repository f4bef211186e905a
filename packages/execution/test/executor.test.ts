import { describe, expect, test } from '@jest/globals';
import { buildSchema, GraphQLError, parse } from 'graphql';
import { TaskgateError } from '@taskgate/base';
import { Cancellation, Deadlines, Turns } from '@taskgate/work';
import { operationChecker } from '../check-operation.ts';
import type { ExecutionContext } from '../context.ts';
import type { ExecutionPlugin } from '../envelop.ts';
import { presentable } from '../errors.ts';
import { createExecutor, type ServicePlugins } from '../executor.ts';
import { fieldsPerTurn } from '../paced-lists.ts';
import { subscribe } from '../subscribe.ts';
import { Subscription } from '../subscription.ts';
import { SubscriptionLimits } from '../subscription-limits.ts';
import { queryTurns } from '../use-turn.ts';

const schema = buildSchema(
  'type Query { title: String tasks: [Task!]! } type Task { title: String children: [Task!]! } type Subscription { count: Int }',
);

const executorWith = (plugins: Partial<ServicePlugins<ExecutionContext>> = {}) =>
  createExecutor<ExecutionContext>(schema, {
    introspection: true,
    persisted: { listed: new Map(), only: false },
    plugins: { checks: [], observers: [], executions: [], ...plugins },
  });

const deadlines = new Deadlines();
const services = {
  connections: { isAway: false },
  deadlines,
  queries: queryTurns(),
  subscriptions: new SubscriptionLimits(),
  turns: new Turns(),
};

function contextOf(id: string): ExecutionContext {
  const viewer = { id, states: new Map(), relatedRevision: '0' };
  return {
    services,
    viewer,
    session: { viewer: () => Promise.resolve(viewer) },
    requestId: 'test',
    source: { api: 'graphql', transport: 'http' },
    cancellation: new Cancellation(deadlines),
    clientAddress: '127.0.0.1',
  };
}

const read = (executor: ReturnType<typeof executorWith>, title: (args: object, context: ExecutionContext) => unknown) =>
  executor.execute({ document: parse('{ title }'), rootValue: { title }, contextValue: contextOf('anna') });

describe('an executor without the service', () => {
  test('gives resolvers the caller with a budget and a signal', async () => {
    const seen: unknown[] = [];
    const { data } = await read(executorWith(), (_args, { viewer }) => {
      seen.push(viewer);
      return 'read';
    });
    expect(data).toEqual({ title: 'read' });
    expect(seen).toMatchObject([{ id: 'anna', budget: { owner: 'anna' }, signal: { aborted: false } }]);
  });

  test('runs the plugins of the service at their places', async () => {
    const calls: string[] = [];
    const note = (name: string): ExecutionPlugin => ({
      onExecute() {
        calls.push(name);
        return { onExecuteDone: ({ result: { errors } }) => void calls.push(`${name} saw ${String(errors?.[0])}`) };
      },
    });
    const refuse: ExecutionPlugin = {
      onExecute: ({ setResultAndStopExecution }) =>
        setResultAndStopExecution({ errors: [new TaskgateError('FORBIDDEN', 'not yours')] }),
    };
    const executor = executorWith({ observers: [note('observer')], executions: [note('first'), refuse, note('last')] });
    const { errors } = await read(executor, () => calls.push('resolver'));
    expect(errors).toMatchObject([{ code: 'FORBIDDEN' }]);
    expect(calls).toEqual(['observer', 'first', 'observer saw not yours', 'first saw not yours']);
  });

  test('asks the checks of the service before all others', () => {
    const refuse = () => {
      throw new TaskgateError('FORBIDDEN', 'not yours');
    };
    const check = operationChecker(executorWith({ checks: [{ onParse: refuse }] }));
    const sender = { requestId: 'test', userId: 'anna', onNewDocument: () => undefined };
    expect(check({ query: '{'.repeat(1000) }, sender).errors).toMatchObject([{ code: 'FORBIDDEN' }]);
  });

  test('masks errors whose code is not its own', async () => {
    const { errors: [error] = [] } = await read(executorWith(), () => {
      throw new GraphQLError('secret', { extensions: { code: 'OF_A_LIBRARY' } });
    });
    expect(presentable(error, 'test')).toMatchObject({ message: 'Internal error', extensions: { code: 'INTERNAL' } });
  });
});

test.each([
  ['of its own', '{ tasks { title } }', 1],
  ['within entries', 'query { tasks { ...inner } } fragment inner on Task { children { title } }', 50],
])('others run between the entries of a long list %s', async (_which, query, width) => {
  const executor = executorWith();
  let executed = 0;
  const task = () => ({ title: () => (executed += 1) });
  const listOf = <Item>(count: number, make: () => Item) => Array.from({ length: count }, make);
  const tasks = listOf((4 * fieldsPerTurn) / width, () => ({ ...task(), children: listOf(width, task) }));
  const seen = new Set<number>();
  let isDone = false;
  const look = () => {
    seen.add(executed);
    if (!isDone) setImmediate(look);
  };
  setImmediate(look);
  const { data } = await executor.execute({
    document: parse(query),
    rootValue: { tasks },
    contextValue: contextOf('anna'),
  });
  isDone = true;
  expect(JSON.stringify(data).match(/"\d+"/g)).toHaveLength(4 * fieldsPerTurn);
  const steps = [...seen, executed].sort((a, b) => a - b);
  expect(Math.max(...steps.map((step, at) => step - (steps[at - 1] ?? 0)))).toBeLessThanOrEqual(fieldsPerTurn);
});

test('a failed event is retried, and a withdrawn one is skipped', async () => {
  const tries: number[] = [];
  const event = (count: number, withdrawn = false) => ({
    context: contextOf('anna'),
    withdrawn,
    count() {
      tries.push(count);
      if (count === 2 && tries.length === 2) throw new Error('a moment of failure');
      return count;
    },
  });
  async function* events() {
    yield event(1, true);
    yield await Promise.resolve(event(2));
  }
  const subscription = new Subscription({ cost: 1, bytes: 1, hasConnection: true });
  const results = await subscribe(
    executorWith(),
    {
      document: parse('subscription { count }'),
      rootValue: { count: events },
      contextValue: contextOf('anna'),
    },
    subscription,
  );
  if (!(Symbol.asyncIterator in results)) throw new Error('no events', { cause: results });
  expect(services.subscriptions.usageOf('anna').subscriptions).toBe(1);
  expect(await results.next()).toMatchObject({ value: { data: { count: 2 } } });
  expect(tries).toEqual([1, 2, 2]);
  await results.return();
  expect(services.subscriptions.usageOf('anna')).toEqual({ connections: 0, subscriptions: 0, cost: 0, bytes: 0 });
});
