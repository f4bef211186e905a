import type { ResultOf, TadaDocumentNode } from 'gql.tada';
import { type DocumentNode, type ExecutionResult, getOperationAST, type GraphQLSchema, validate } from 'graphql';
import { stream, TaskgateError } from '@taskgate/base';
import {
  estimate,
  type Executor,
  presentable,
  subscribe,
  type SubscribeOptions,
  Subscription,
} from '@taskgate/execution';
import { compileFragment, type FragmentDocument } from '@taskgate/nested-read';
import type { Context } from '../src/platform/context.ts';
import type { SyncedKind } from '../src/platform/entities.ts';
import { isId } from '../src/platform/ids.ts';
import { storedPart } from '../src/graphql/stored-responses.ts';
import { requireRightsFor, rightsOf } from '../src/graphql/rights.ts';
import { type Export, type ExportedKinds, sendExport } from '../src/exports/rules.ts';
import { inStreamTurn, type ListArguments, streamSections, streamTasks, type TaskBatches } from '../src/tasks/rules.ts';
import { graphql } from './graphql.ts';

export { beginSignIn, finishSignIn, providersOf } from '../src/accounts/providers/rules.ts';
export { exportedAs, exportedLists } from '../src/exports/rules.ts';
export { presentable };
export type { Executor, Export, TaskBatches };

interface Row {
  method: string;
  path: string;
  document: DocumentNode;
  alternative?: { document: DocumentNode };
}

export type Operation = (
  document: DocumentNode,
  variables: Record<string, unknown>,
  context: Context,
) => Promise<unknown>;

/** Of a trusted document, for a subscription of each event. */
export function costOf(schema: GraphQLSchema, document: DocumentNode): number {
  const operation = getOperationAST(document);
  if (!operation) throw new Error('the document has no operation');
  return estimate(schema, document, operation, {}).cost;
}

function requireFitting(schema: GraphQLSchema, documents: readonly (DocumentNode | undefined)[], name: string): void {
  const errors = documents.flatMap((document) => (document ? validate(schema, document) : []));
  if (errors.length > 0) throw new Error(`${name} does not fit the schema: ${errors.map(String).join('; ')}`);
}

/** @throws the first error, made presentable */
export const operationOn =
  ({ execute }: Executor<Context>): Operation =>
  async (document, variableValues, contextValue) => {
    const { data, errors: [error] = [] } = await execute({ document, variableValues, contextValue });
    if (!error) return data;
    throw error.originalError instanceof TaskgateError
      ? error.originalError
      : presentable(error, contextValue.requestId);
  };

/** Named by `id`, or by `sectionId` within the project `id`. */
export type Resource = 'Operation' | SyncedKind;

const ResourceOfPath = graphql(
  'query ResourceOfPath($id: ID!) { node(id: $id) { __typename ... on Section { projectId } } }',
);

/** Whether the caller sees it. */
export async function hasResource(
  type: Resource,
  { id = '', sectionId = id }: Record<string, string>,
  run: (document: typeof ResourceOfPath, variables: { id: string }) => Promise<unknown>,
): Promise<boolean> {
  // Idempotency keys also name operations, but not for `node`.
  if (type === 'Operation' && !isId('Operation', id)) return true;
  const { node } = (await run(ResourceOfPath, { id: sectionId })) as ResultOf<typeof ResourceOfPath>;
  return node?.__typename === type && (node.__typename !== 'Section' || node.projectId === id);
}

/** @throws if a document does not fit the schema */
export function bindOperations(executor: Executor<Context>, routes: readonly Row[]): Operation {
  const { schema } = executor;
  for (const { method, path, document, alternative } of routes)
    requireFitting(schema, [document, alternative?.document], `${method.toUpperCase()} ${path}`);
  requireFitting(schema, [ResourceOfPath], 'the look-up of resources');
  return operationOn(executor);
}

/** Writes without `ignoresIdempotencyKey`. */
export function storesResponses(schema: GraphQLSchema, { document }: Pick<Row, 'document'>): boolean {
  const operation = getOperationAST(document);
  return operation ? storedPart(schema, document, operation) === 'all' : false;
}

export function takesTokens(schema: GraphQLSchema, { document }: Pick<Row, 'document'>): boolean {
  const operation = getOperationAST(document);
  return operation ? rightsOf(schema, document, operation) !== 'all' : false;
}

/** Precedes input errors. @throws FORBIDDEN if the access token lacks the right */
export function requireRightsForRow(
  schema: GraphQLSchema,
  { document }: Pick<Row, 'document'>,
  context: Context,
): void {
  try {
    requireRightsFor({ schema, document }, context.viewer);
  } catch (error) {
    context.services.securityLog.refusal(context, error);
    throw error;
  }
}

type Text = AsyncGenerator<string>;

/** Each throws if it gets no turn. */
export const streamsOf = (schema: GraphQLSchema, context: Context, send: (text: Text) => Promise<void>) => ({
  tasks<Task>(fragment: FragmentDocument<Task>, args: ListArguments, write: (stream: TaskBatches<Task>) => Text) {
    const task = compileFragment(schema, fragment);
    return inStreamTurn(context, (own) => send(write(streamTasks(own, args, task))));
  },
  sections<Section, Task>(
    sectionFragment: FragmentDocument<Section>,
    taskFragment: FragmentDocument<Task>,
    projectId: string,
    write: (stream: TaskBatches<Task, Section>) => Text,
  ) {
    const section = compileFragment(schema, sectionFragment);
    const task = compileFragment(schema, taskFragment);
    return inStreamTurn(context, (own) => send(write(streamSections(own, projectId, section, task))));
  },
});

export type Streams = ReturnType<typeof streamsOf>;

export const bindExport = <Todo>(schema: GraphQLSchema, todo: FragmentDocument<Todo>, kinds: ExportedKinds) => {
  const selection = compileFragment(schema, todo);
  return (context: Context, send: (all: Export<Todo>) => Promise<void>) => sendExport(context, selection, kinds, send);
};

/** @throws if a document does not fit the schema */
export function bindSubscription(executor: Executor<Context>, documents: readonly DocumentNode[]) {
  requireFitting(executor.schema, documents, 'a subscription');
  return {
    query: operationOn(executor),
    /** @returns the data of each event @throws a presentable error */
    async subscribe<Data, Variables extends Record<string, unknown>>(
      document: TadaDocumentNode<Data, Variables>,
      variableValues: Variables,
      contextValue: Context,
      options: SubscribeOptions,
    ): Promise<AsyncGenerator<Data, void>> {
      const results = await subscribe(executor, { document, variableValues, contextValue }, new Subscription(options));
      if (!(Symbol.asyncIterator in results)) throw firstError(results) ?? new Error('the subscription has no results');
      const next = async (): Promise<IteratorResult<Data, void>> => {
        const { done, value } = await results.next();
        if (done) return { done, value: undefined };
        const error = firstError(value);
        if (error) throw error;
        return { done: false, value: value.data as Data };
      };
      return stream(next, () => results.return());
    },
  };
}

const firstError = ({ errors: [error] = [] }: ExecutionResult): Error | undefined => error?.originalError ?? error;
