import { execute, type GraphQLSchema } from 'graphql';
import { createYoga, type Plugin, type YogaServerInstance } from 'graphql-yoga';
import { documentCache, type DocumentCache } from './document-cache.ts';
import type { PersistedOptions } from './persisted.ts';
import type { Context } from '../platform/context.ts';
import type { BoundArgs, CheckContext, CheckPlugin, Enveloped, ExecutionPlugin, Executor } from './envelop.ts';
import { useChangeNotification } from './plugins/use-change-notification.ts';
import { useCompiledQueries } from './plugins/use-compiled-queries.ts';
import { useCost } from './plugins/use-cost.ts';
import { useDocumentCache } from './plugins/use-document-cache.ts';
import { useLimits } from './plugins/use-limits.ts';
import { useMetrics } from './plugins/use-metrics.ts';
import { useOperationIds } from './plugins/use-operation-ids.ts';
import { usePersistedOperations } from './plugins/use-persisted-operations.ts';
import { useResponseBudget } from './plugins/use-response-budget.ts';
import { useRights } from './plugins/use-rights.ts';
import { useSecurityLog } from './plugins/use-security-log.ts';
import { operationSpan, useSpan } from './plugins/use-span.ts';
import { useSubscriptionLimits } from './plugins/use-subscription-limits.ts';
import { useTurn } from './plugins/use-turn.ts';
import { useValidation } from './plugins/use-validation.ts';
import { useVariables } from './plugins/use-variables.ts';
import { subscribeWith } from './subscribe.ts';

export interface ExecutorOptions {
  introspection: boolean;
  persisted: PersistedOptions;
  documents?: DocumentCache;
  /** Plugins of Yoga's HTTP layer. */
  http?: Plugin[];
}

/** Yoga's HTTP layer serves only streams. */
export interface YogaExecutor extends Executor {
  yoga: YogaServerInstance<object, object>;
}

export function createExecutor(schema: GraphQLSchema, options: ExecutorOptions): YogaExecutor {
  const { documents = documentCache(), persisted, http = [] } = options;
  const within = (context: CheckContext | Context) => yoga.getEnveloped(context) as Enveloped;
  const run = async (args: BoundArgs) => within(args.contextValue).execute({ ...args, schema });
  const subscribe = subscribeWith(run);
  const engine: ExecutionPlugin = {
    onExecute: ({ setExecuteFn }) => setExecuteFn(execute),
    onSubscribe: ({ setSubscribeFn }) => setSubscribeFn(subscribe),
  };
  // Hooks run in this order, and a refusal skips the later ones. A replaced function wraps the plugins before it.
  const checks: CheckPlugin[] = [
    useLimits(schema),
    useDocumentCache(documents),
    usePersistedOperations(persisted),
    useValidation(options),
    useVariables(schema, options),
    useCost(schema),
  ];
  const executions: ExecutionPlugin[] = [
    engine,
    useResponseBudget(),
    useSpan(() => ({ name: 'execute' })),
    useTurn(),
    useSpan(operationSpan),
    useSecurityLog(),
    useMetrics(),
    useRights(),
    useSubscriptionLimits(),
    useOperationIds(),
    useChangeNotification(),
    useCompiledQueries(),
  ];
  const yoga: YogaExecutor['yoga'] = createYoga({
    schema,
    cors: false,
    logging: false,
    landingPage: false,
    graphiql: false,
    maskedErrors: false,
    maxRequestBodySize: false,
    parserAndValidationCache: false,
    plugins: [...http, ...checks, ...executions] as Plugin[],
  });
  return {
    schema,
    yoga,
    checksOf: within,
    execute: run,
    subscribe: async (args) => within(args.contextValue).subscribe({ ...args, schema }),
  };
}
