import { createExecutor, type ExecutorOptions } from '../../src/graphql/executor.ts';
import { schema } from '../../src/schema.ts';

/** An executor without a service. */
export const executorWith = (options: Partial<ExecutorOptions> = {}) =>
  createExecutor(schema, { introspection: true, persisted: { listed: new Map(), only: false }, ...options });
