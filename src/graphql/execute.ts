import {
  type DocumentNode,
  execute,
  type ExecutionArgs,
  type ExecutionResult,
  getOperationAST,
  type GraphQLSchema,
  type OperationDefinitionNode,
  OperationTypeNode,
} from 'graphql';
import { currentTransaction } from '../database/operation.ts';
import { ResponseBudget, maxResponseBytes } from '../kernel/budget.ts';
import { CallerGone, type Cancellation, unlessAborted } from '../kernel/cancellation.ts';
import { type Context, refreshViewer } from '../kernel/context.ts';
import { TaskgateError } from '../kernel/errors.ts';
import { jsonSize } from '../kernel/json-size.ts';
import { inSpan, openSpan } from '../kernel/tracing.ts';
import { FairQueue } from '../kernel/fair-queue.ts';
import { codeOf, originOf, presentable } from './errors.ts';
import { requireRightsFor } from './rights.ts';
import { measureOperation, type Outcome } from './operation-metrics.ts';
import { schemaToExecute } from '../nested-read/compiled-query.ts';

declare module '../kernel/services.ts' {
  interface Services {
    queries: FairQueue;
  }
}

export const queryPolicy = { name: 'queries', slots: Infinity, slotsPerKey: 2, idle: 'all' } as const;

export const queryTurns = () => new FairQueue(queryPolicy);

export interface RunOptions {
  /** The viewer may have changed in a wait before. */
  hasWaited?: boolean;
  /** Default: true for queries. */
  takesTurn?: boolean;
}

/**
 * Executes a validated operation for any transport. A turn waits for other operations of the account. After a wait the
 * viewer is read again. After its commit, a mutation announces the spaces it changed.
 * @returns also UNAVAILABLE (overload, deadline or caller gone), UNAUTHENTICATED (session ended) and FORBIDDEN (missing
 *   right)
 */
export function run(args: ExecutionArgs, options: RunOptions = {}): Promise<ExecutionResult> {
  const operation = getOperationAST(args.document, args.operationName);
  const type = operation?.operation ?? OperationTypeNode.QUERY;
  const attributes = { 'graphql.operation.type': type, 'graphql.operation.name': operation?.name?.value.slice(0, 100) };
  return inSpan(`graphql ${type}`, () => runOperation(args, operation, options), { attributes });
}

async function runOperation(
  args: ExecutionArgs,
  operation: OperationDefinitionNode | null | undefined,
  { hasWaited = false, takesTurn }: RunOptions,
): Promise<ExecutionResult> {
  const schema = operation ? schemaToExecute(args.schema, args.document, operation) : args.schema;
  const context = args.contextValue as Context;
  const turn = openSpan('turn', 'INTERNAL');
  const executeNow = async (waitedForTurn: boolean) => {
    turn?.end();
    if (hasWaited || waitedForTurn) await inSpan('viewer', () => refreshViewer(context));
    requireRightsFor(args, context.viewer);
    return inSpan('execute', () => executeWithinBudget({ ...args, schema }, isQuery));
  };
  const { viewer: caller, services } = context;
  const isQuery = operation?.operation === OperationTypeNode.QUERY;
  const isMutation = operation?.operation === OperationTypeNode.MUTATION;
  const measured = measureOperation(context.source, operation?.operation ?? OperationTypeNode.QUERY);
  const inTurn = (callerId: string, { signal }: Cancellation) =>
    unlessAborted(
      services.queries.run(callerId, executeNow, { signal, isOfRequest: isQuery, isPatient: !isQuery }),
      signal,
    );
  const executing = caller && (takesTurn ?? isQuery) ? inTurn(caller.id, context.cancellation) : executeNow(false);
  const result: ExecutionResult = await executing.catch((error: unknown) => {
    if (error instanceof TaskgateError) return { errors: [error] };
    measured(codeOf(error));
    throw error;
  });
  measured(outcomeOf(result));
  for (const error of result.errors ?? []) services.securityLog.refusal(context, originOf(error));
  const written = context.viewer?.written;
  if (written && isMutation) services.notifyChanged({ spaces: [...written] });
  return result;
}

/** Service faults come first. */
function outcomeOf({ errors = [] }: ExecutionResult): Outcome {
  if (errors.some((error) => originOf(error) instanceof CallerGone)) return 'aborted';
  const codes = errors.map(codeOf);
  return codes.find((code) => code === 'INTERNAL') ?? codes[0] ?? 'ok';
}

/** A refused query has no `data`. For a mutation `data` is null, because it has happened. */
async function executeWithinBudget(args: ExecutionArgs, isQuery: boolean): Promise<ExecutionResult> {
  const context = args.contextValue as Context;
  const { viewer, maxResponseBytes: maxBytes } = context;
  // Anonymous reads are short, and a keyed operation completes in its transaction.
  const { signal, hangUpSignal } = (viewer && !currentTransaction() && context.cancellation) || {};
  // A committed mutation is always reported, so only a hang-up cancels its reads.
  const budget = new ResponseBudget(maxBytes, isQuery ? signal : hangUpSignal, {
    owner: viewer?.id,
    isPatient: !isQuery,
    requiredState: isQuery ? (viewer ?? undefined) : undefined,
  });
  const operations: string[] = [];
  if (viewer) context.viewer = { ...viewer, budget, signal, written: new Set([viewer.id]), operations };
  let sent: Promise<unknown> | undefined;
  try {
    const result = withOperations(await execute(args), operations);
    budget.countResponseBytes(jsonSize(result.data, maxResponseBytes));
    const { refusal } = budget;
    if (refusal) return { ...result, ...(isQuery ? { data: undefined } : { data: null }), errors: [refusal] };
    // As if it was not executed.
    if (isQuery && result.data === null && result.errors?.some((error) => codeOf(error) === 'UNAVAILABLE')) {
      return { errors: result.errors };
    }
    if (budget.isHolding) sent = context.whenSent?.();
    return result;
  } finally {
    // A response without data does not wait for fields that are still reading.
    if (sent) void sent.then(() => budget.release());
    else budget.release();
  }
}

function withOperations(result: ExecutionResult, operations: readonly string[]): ExecutionResult {
  const operationId = operations.at(-1);
  if (operationId === undefined) return result;
  const extensions = { ...result.extensions, operationId, ...(operations.length > 1 && { operationIds: operations }) };
  return { ...result, extensions };
}

/** @throws the first error, made presentable */
export async function executeOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  variableValues: Record<string, unknown>,
  contextValue: Context,
): Promise<unknown> {
  const { data, errors } = await run({ schema, document, variableValues, contextValue });
  const [error] = errors ?? [];
  if (!error) return data;
  throw error.originalError instanceof TaskgateError ? error.originalError : presentable(error, contextValue.requestId);
}
