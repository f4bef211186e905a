import { envelop } from 'graphql-yoga';
import type { CheckContext, CheckPlugin, Enveloped, ExecutionPlugin } from '../../src/graphql/envelop.ts';
import { createExecutor, type ExecutorOptions } from '../../src/graphql/executor.ts';
import type { Context } from '../../src/platform/context.ts';
import { schema } from '../../src/schema.ts';

/** An executor without a service. */
export const executorWith = (options: Partial<ExecutorOptions> = {}) =>
  createExecutor(schema, { introspection: true, persisted: { listed: new Map(), only: false }, ...options });

/** Combines plugins as `createExecutor` does. The first one is the engine. */
export const enveloped = (plugins: readonly (CheckPlugin | ExecutionPlugin)[], context: CheckContext | Context) =>
  envelop({ plugins: plugins as never })(context) as Enveloped;

/** A function that records its calls. */
export function recorder<Result>(result: Result) {
  const calls: unknown[][] = [];
  return Object.assign((...values: unknown[]) => (calls.push(values), result), { calls });
}
