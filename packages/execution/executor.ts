import { execute, type GraphQLSchema } from 'graphql';
import { createYoga, type Plugin, type YogaServerInstance } from 'graphql-yoga';
import type { ExecutionContext } from './context.ts';
import { documentCache, type DocumentCache } from './document-cache.ts';
import type { BoundArgs, CheckContext, CheckPlugin, Enveloped, ExecutionPlugin, Executor } from './envelop.ts';
import { paceLists } from './paced-lists.ts';
import type { PersistedOptions } from './persisted.ts';
import { subscribeWith } from './subscribe.ts';
import { useCompiledQueries } from './use-compiled-queries.ts';
import { useCost } from './use-cost.ts';
import { useDocumentCache } from './use-document-cache.ts';
import { useLimits } from './use-limits.ts';
import { useMetrics } from './use-metrics.ts';
import { usePersistedOperations } from './use-persisted-operations.ts';
import { useResponseBudget } from './use-response-budget.ts';
import { operationSpan, useSpan } from './use-span.ts';
import { useResults } from './use-results.ts';
import { useSubscriptionLimits } from './use-subscription-limits.ts';
import { useTurn } from './use-turn.ts';
import { useValidation } from './use-validation.ts';
import { useVariables } from './use-variables.ts';

/** Plugins of the service, by their place among the executor's own. */
export interface ServicePlugins<Context extends ExecutionContext> {
  /** Plugins that run before all other checks. */
  checks: readonly CheckPlugin[];
  /** See every result, also the refusals of later plugins. */
  observers: readonly ExecutionPlugin<Context>[];
  /** Plugins that run within the turn, before a subscription is counted. Their refusals are measured. */
  executions: readonly ExecutionPlugin<Context>[];
}

export interface ExecutorOptions<Context extends ExecutionContext> {
  introspection: boolean;
  persisted: PersistedOptions;
  documents?: DocumentCache;
  plugins: ServicePlugins<Context>;
}

/** Yoga's HTTP layer serves only streams. */
export interface YogaExecutor<Context extends ExecutionContext = ExecutionContext> extends Executor<Context> {
  yoga: YogaServerInstance<object, object>;
}

export function createExecutor<Context extends ExecutionContext>(
  schema: GraphQLSchema,
  options: ExecutorOptions<Context>,
): YogaExecutor<Context> {
  paceLists(schema);
  const { documents = documentCache(), persisted, plugins } = options;
  const envelopOf = (context: CheckContext | Context) => yoga.getEnveloped(context) as Enveloped;
  const run = async (args: BoundArgs<Context>) => envelopOf(args.contextValue).execute({ ...args, schema });
  const subscribe = subscribeWith(run);
  const engine: ExecutionPlugin = {
    onExecute: ({ setExecuteFn }) => setExecuteFn(execute),
    onSubscribe: ({ setSubscribeFn }) => setSubscribeFn(subscribe),
  };
  // Hooks run in this order, and a refusal skips the later ones. A replaced function wraps the plugins before it.
  const checks: CheckPlugin[] = [
    ...plugins.checks,
    useLimits(schema),
    useDocumentCache(documents),
    usePersistedOperations(persisted),
    useValidation(options),
    useVariables(schema, options),
    useCost(schema),
  ];
  const executions: ExecutionPlugin<Context>[] = [
    engine,
    useResponseBudget(),
    useSpan(() => ({ name: 'execute' })),
    useTurn(),
    useSpan(operationSpan),
    ...plugins.observers,
    useMetrics(),
    ...plugins.executions,
    useSubscriptionLimits(),
    useCompiledQueries(),
  ];
  const yoga: YogaExecutor<Context>['yoga'] = createYoga({
    schema,
    cors: false,
    logging: false,
    landingPage: false,
    graphiql: false,
    maskedErrors: false,
    maxRequestBodySize: false,
    parserAndValidationCache: false,
    plugins: [useResults(), ...checks, ...executions] as Plugin[],
  });
  return {
    schema,
    yoga,
    checksOf: envelopOf,
    execute: run,
    subscribe: async (args) => envelopOf(args.contextValue).subscribe({ ...args, schema }),
  };
}
