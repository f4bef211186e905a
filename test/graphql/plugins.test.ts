import { beforeAll, describe, expect, test } from '@jest/globals';
// eslint-disable-next-line @typescript-eslint/no-restricted-imports -- the plugins run around the executor alone
import { buildSchema, execute, parse } from 'graphql';
import { registry, unauthenticated } from '@taskgate/base';
import { FairQueue } from '@taskgate/work';
import { useChangeNotification } from '../../src/graphql/plugins/use-change-notification.ts';
import { useOperationIds } from '../../src/graphql/plugins/use-operation-ids.ts';
import { useRights } from '../../src/graphql/plugins/use-rights.ts';
import { useSecurityLog } from '../../src/graphql/plugins/use-security-log.ts';
import type { Context, Viewer } from '../../src/platform/context.ts';
import { forbidden } from '../../src/platform/errors.ts';
import type { SecurityLog } from '../../src/platform/security-log.ts';
import { schema } from '../../src/schema.ts';
import { contextOf } from '../kit/context.ts';
import { enveloped, recorder } from '../kit/executor.ts';
import { sharedService } from '../kit/shared-service.ts';
import { signUp } from '../kit/users.ts';
import type { ExecutionPlugin } from '../../packages/execution/envelop.ts';
import { codeOf } from '../../packages/execution/errors.ts';
import { useCompiledQueries } from '../../packages/execution/use-compiled-queries.ts';
import { useMetrics } from '../../packages/execution/use-metrics.ts';
import { useResponseBudget } from '../../packages/execution/use-response-budget.ts';
import { useSubscriptionLimits } from '../../packages/execution/use-subscription-limits.ts';
import { queryPolicy, useTurn } from '../../packages/execution/use-turn.ts';
import { SubscriptionLimits } from '../../packages/execution/subscription-limits.ts';
import { Subscription } from '../../packages/execution/subscription.ts';

const ownSchema = buildSchema(`
  type Query { title: String }
  type Mutation { rename: String }
  type Subscription { title: String user: User }
  type User { sessions: String }
`);

let base: Context;
let viewer: Viewer;
beforeAll(async () => {
  const service = await sharedService();
  base = await contextOf(service, await signUp(service));
  if (!base.viewer) throw new Error('nobody is signed in');
  viewer = base.viewer;
});

const contextWith = (parts: Partial<Context> = {}, services: Partial<Context['services']> = {}): Context => ({
  ...base,
  ...parts,
  services: { ...base.services, ...services },
});

/** The engine and one plugin, as `createExecutor` combines all of them. */
function within(plugin: ExecutionPlugin, context: Context) {
  const engine: ExecutionPlugin = {
    onExecute: ({ setExecuteFn }) => setExecuteFn(execute),
    onSubscribe: ({ setSubscribeFn }) => setSubscribeFn(() => Promise.resolve({ data: { title: 'begun' } })),
  };
  return enveloped([engine, plugin], context);
}

type Root = Record<string, (args: object, context: Context) => unknown>;

const run = (plugin: ExecutionPlugin, context: Context, text: string, rootValue: Root = {}) =>
  within(plugin, context).execute({ schema: ownSchema, document: parse(text), rootValue, contextValue: context });

describe('plugins around the execution', () => {
  test('useTurn lets a query wait for the others of its account, then reads the viewer again', async () => {
    const queries = new FairQueue({ ...queryPolicy, name: 'queries of a test' });
    const release: (() => void)[] = [];
    const slow = { title: () => new Promise<string>((resolve) => release.push(() => resolve('slow'))) };
    const running = [1, 2].map(async () => run(useTurn(), contextWith({}, { queries }), '{ title }', slow));
    const renewed = recorder(Promise.resolve(viewer));
    const waiting = contextWith({ session: { ...base.session, viewer: renewed } }, { queries });
    const third = run(useTurn(), waiting, '{ title }', { title: () => 'third' });
    expect(queries.load).toEqual({ running: 2, waiting: 1 });
    expect(await run(useTurn(), contextWith({}, { queries }), 'mutation { rename }', { rename: () => 'now' })).toEqual({
      data: { rename: 'now' },
    });
    expect(renewed.calls).toHaveLength(0);
    for (const end of release) end();
    expect(await third).toEqual({ data: { title: 'third' } });
    expect(renewed.calls).toHaveLength(1);
    await Promise.all(running);
    expect(queries.load).toEqual({ running: 0, waiting: 0 });
  });

  test('useTurn refuses an ended session after a wait, and any failure is a result', async () => {
    const ended = contextWith({ mustRefreshViewer: true });
    const { errors: [error] = [] } = await run(useTurn(), ended, '{ title }');
    expect(codeOf(error)).toBe('UNAUTHENTICATED');
    const broken = contextWith({
      mustRefreshViewer: true,
      session: { ...base.session, viewer: () => Promise.reject(new Error('secret')) },
    });
    const { errors: [masked] = [] } = await run(useTurn(), broken, '{ title }');
    expect(masked?.message).toBe('it failed');
    expect(masked?.originalError?.message).toBe('secret');
  });

  test('useRights refuses a mutation of a token that may only read', async () => {
    const rename = recorder('new');
    const reader = contextWith({ viewer: { ...viewer, credential: { ...viewer.credential, rights: 'read' } } });
    const { errors: [error] = [] } = await run(useRights(), reader, 'mutation { rename }', { rename });
    expect(codeOf(error)).toBe('FORBIDDEN');
    expect(rename.calls).toHaveLength(0);
    expect(await run(useRights(), reader, '{ title }', { title: () => 'read' })).toEqual({ data: { title: 'read' } });
    const subscribing = (text: string) =>
      within(useRights(), reader).subscribe({ schema: ownSchema, document: parse(text), contextValue: reader });
    expect(await subscribing('subscription { title }')).toEqual({ data: { title: 'begun' } });
    expect(await subscribing('subscription { user { sessions } }')).toMatchObject({
      errors: [{ extensions: { code: 'FORBIDDEN' } }],
    });
  });

  test('useResponseBudget counts in the viewer, and refuses a large response', async () => {
    const budgets: unknown[] = [];
    const note = (_args: object, { viewer: own }: Context) => void budgets.push(own?.budget);
    await run(useResponseBudget(), contextWith(), '{ title }', { title: note });
    expect(budgets[0]).toMatchObject({ owner: viewer.id, refusal: { message: 'The operation has ended' } });
    const small = () => contextWith({ maxResponseBytes: 100 });
    const long = () => 'x'.repeat(101);
    const query = await run(useResponseBudget(), small(), '{ title }', { title: long });
    expect([query.data, codeOf(query.errors?.[0])]).toEqual([undefined, 'VALIDATION_FAILED']);
    const mutation = await run(useResponseBudget(), small(), 'mutation { rename }', { rename: long });
    expect([mutation.data, codeOf(mutation.errors?.[0])]).toEqual([null, 'VALIDATION_FAILED']);
  });

  test('useOperationIds adds the last id, and all ids if there are several', async () => {
    const write = (_args: object, { viewer: own }: Context) => void own?.operations?.push('first');
    const one = await run(useOperationIds(), contextWith(), 'mutation { rename }', { rename: write });
    expect(one.extensions).toEqual({ operationId: 'first' });
    const twice = 'mutation { rename other: rename }';
    const { extensions } = await run(useOperationIds(), contextWith(), twice, { rename: write });
    expect(extensions).toEqual({ operationId: 'first', operationIds: ['first', 'first'] });
    expect(await run(useOperationIds(), contextWith(), '{ title }')).toEqual({ data: { title: null } });
  });

  test('useChangeNotification announces the written spaces after a mutation', async () => {
    const notifyChanged = recorder(undefined);
    const write = (_args: object, { viewer: own }: Context) => void own?.written?.add('workspace');
    await run(useChangeNotification(), contextWith({}, { notifyChanged }), '{ title }', { title: write });
    expect(notifyChanged.calls).toHaveLength(0);
    await run(useChangeNotification(), contextWith({}, { notifyChanged }), 'mutation { rename }', { rename: write });
    expect(notifyChanged.calls).toEqual([[{ spaces: [viewer.id, 'workspace'] }]]);
  });

  test('useSecurityLog logs each refusal', async () => {
    const refusal = recorder(undefined);
    const securityLog = Object.assign(Object.create(base.services.securityLog) as SecurityLog, { refusal });
    const refuse = () => {
      throw forbidden('not yours');
    };
    const context = contextWith({}, { securityLog });
    await run(useSecurityLog(), context, '{ title }', { title: refuse });
    const refused: ExecutionPlugin = {
      onSubscribe: ({ setSubscribeFn }) => setSubscribeFn(() => ({ errors: [forbidden('not yours')] })),
    };
    const args = { schema: ownSchema, document: parse('subscription { title }'), contextValue: context };
    await enveloped([refused, useSecurityLog()], context).subscribe(args);
    const call = [context, expect.objectContaining({ code: 'FORBIDDEN' })];
    expect(refusal.calls).toEqual([call, call]);
  });

  test('useMetrics counts the outcome of an operation', async () => {
    const count = async (outcome: string) => {
      const metric = await registry.getSingleMetric('taskgate_graphql_operation_duration_seconds')?.get();
      const of = metric?.values.filter(({ labels }) => labels['outcome'] === outcome && labels['type'] === 'mutation');
      return of?.reduce(
        (sum, each) => sum + ('metricName' in each && /_count$/.test(String(each.metricName)) ? each.value : 0),
        0,
      );
    };
    const before = (await count('UNAUTHENTICATED')) ?? 0;
    const refuse = () => {
      throw unauthenticated();
    };
    await run(useMetrics(), contextWith(), 'mutation { rename }', { rename: refuse });
    expect(await count('UNAUTHENTICATED')).toBe(before + 1);
    const open = async () => {
      const metric = await registry.getSingleMetric('taskgate_subscriptions')?.get();
      return metric?.values.reduce((sum, { value }) => sum + value, 0) ?? 0;
    };
    const subscription = new Subscription({ cost: 1, bytes: 1, hasConnection: false });
    const contextValue = contextWith({ subscription });
    const openBefore = await open();
    const document = parse('subscription { title }');
    await within(useMetrics(), contextValue).subscribe({ schema: ownSchema, document, contextValue });
    expect(await open()).toBe(openBefore + 1);
    subscription.end('ok');
    expect(await open()).toBe(openBefore);
  });

  test('useSubscriptionLimits counts a subscription until it ends', async () => {
    const subscriptions = new SubscriptionLimits({ subscriptions: 1 });
    const open = () => {
      const subscription = new Subscription({ cost: 1, bytes: 1, hasConnection: false });
      const contextValue = contextWith({ subscription }, { subscriptions });
      const args = { schema: ownSchema, document: parse('subscription { title }'), contextValue };
      return { subscription, result: within(useSubscriptionLimits(), contextValue).subscribe(args) };
    };
    const first = open();
    expect(await first.result).toEqual({ data: { title: 'begun' } });
    expect(await open().result).toMatchObject({ errors: [{ extensions: { code: 'RATE_LIMITED' } }] });
    first.subscription.end('ok');
    expect(subscriptions.usageOf(viewer.id).subscriptions).toBe(0);
    expect(await open().result).toEqual({ data: { title: 'begun' } });
  });

  test('useCompiledQueries gives lists of rows another schema, and nothing else', async () => {
    const schemaOf = async (text: string) => {
      const seen: unknown[] = [];
      const stop: ExecutionPlugin = {
        onExecute({ args, setResultAndStopExecution }) {
          seen.push(args.schema);
          setResultAndStopExecution({});
        },
      };
      const contextValue = contextWith();
      await enveloped([useCompiledQueries(), stop], contextValue).execute({
        schema,
        document: parse(text),
        contextValue,
      });
      return seen[0];
    };
    expect(await schemaOf('{ tasks { nodes { id } } }')).not.toBe(schema);
    expect(await schemaOf('{ viewer { id } }')).toBe(schema);
  });
});
