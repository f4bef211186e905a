import { envelop } from 'graphql-yoga';
import type { Context } from '../../src/platform/context.ts';
import { servicePlugins } from '../../src/graphql/service-plugins.ts';
import { schema } from '../../src/schema.ts';
import type { CheckContext, CheckPlugin, Enveloped, ExecutionPlugin } from '../../packages/execution/envelop.ts';
import { createExecutor, type ExecutorOptions } from '../../packages/execution/executor.ts';

/** An executor without a service. */
export const executorWith = (options: Partial<ExecutorOptions<Context>> = {}) =>
  createExecutor(schema, {
    introspection: true,
    persisted: { listed: new Map(), only: false },
    plugins: servicePlugins(),
    ...options,
  });

/** Combines plugins as `createExecutor` does. The first one is the engine. */
export const enveloped = (plugins: readonly (CheckPlugin | ExecutionPlugin)[], context: CheckContext | Context) =>
  envelop({ plugins: plugins as never })(context) as Enveloped;

/** A function that records its calls. */
export function recorder<Result>(result: Result) {
  const calls: unknown[][] = [];
  return Object.assign((...values: unknown[]) => (calls.push(values), result), { calls });
}
