import type { TadaDocumentNode } from 'gql.tada';
import {
  type DocumentNode,
  type ExecutionResult,
  getOperationAST,
  type GraphQLSchema,
  OperationTypeNode,
  validate,
} from 'graphql';
import { stream, TaskgateError } from '@taskgate/base';
import {
  estimate,
  type Executor as ExecutorOf,
  presentable,
  rootFields,
  subscribe,
  Subscription,
} from '@taskgate/execution';
import { requireRightsFor, rightsOf } from '../graphql/rights.ts';
import { storedPart } from '../graphql/stored-responses.ts';
import type { Context, Viewer } from '../platform/context.ts';
import { entities, type NodeKind } from '../platform/entities.ts';
import { hasRole, roleTooLow } from '../platform/policy.ts';
import { roleFor } from '../platform/roles.ts';
import { findById } from '../platform/visible-entities.ts';

export type Executor = ExecutorOf<Context>;

/** Runs a document as the caller of the context. @returns its data */
export type Operation = (
  document: DocumentNode,
  variables: Record<string, unknown>,
  context: Context,
) => Promise<unknown>;

/** Call it at the start for each document. @throws if one does not fit the schema */
export function requireFitting(
  schema: GraphQLSchema,
  name: string,
  ...documents: readonly (DocumentNode | undefined)[]
): void {
  const errors = documents.flatMap((document) => (document ? validate(schema, document) : []));
  if (errors.length > 0) throw new Error(`${name} does not fit the schema: ${errors.map(String).join('; ')}`);
}

/** Its operations throw their first error, made presentable. */
export const operationOn =
  ({ execute }: Executor): Operation =>
  async (document, variableValues, contextValue) => {
    const { data, errors: [error] = [] } = await execute({ document, variableValues, contextValue });
    if (!error) return data;
    throw error.originalError instanceof TaskgateError
      ? error.originalError
      : presentable(error, contextValue.requestId);
  };

/** Of a trusted document; for a subscription, of each event. */
export function costOf(schema: GraphQLSchema, document: DocumentNode, variables: Record<string, unknown> = {}): number {
  const operation = getOperationAST(document);
  if (!operation) throw new Error('the document has no operation');
  return estimate(schema, document, operation, variables).cost;
}

/** Whether all responses of the document may be stored under idempotency keys. */
export function storesResponses(schema: GraphQLSchema, document: DocumentNode): boolean {
  const operation = getOperationAST(document);
  return operation ? storedPart(schema, document, operation) === 'all' : false;
}

/** Whether access tokens can have the rights that the document needs. */
export function takesTokens(schema: GraphQLSchema, document: DocumentNode): boolean {
  const operation = getOperationAST(document);
  return operation ? rightsOf(schema, document, operation) !== 'all' : false;
}

/** Refuses, and logs, a document before its input is checked. @throws FORBIDDEN if the access token lacks the right */
export function requireRightsOf(schema: GraphQLSchema, document: DocumentNode, context: Context): void {
  try {
    requireRightsFor({ schema, document }, context.viewer);
  } catch (error) {
    context.services.securityLog.refusal(context, error);
    throw error;
  }
}

/**
 * Refuses a document after its input was refused, because the 403 of the path's resource comes first.
 * @param viewer from before the execution, whose budget is over
 * @throws FORBIDDEN if the viewer's role is too low for the document's mutation
 */
export async function requireRoleIn(
  schema: GraphQLSchema,
  document: DocumentNode,
  viewer: Viewer,
  kind: NodeKind,
  id: string,
): Promise<void> {
  const operation = getOperationAST(document);
  const [field] = operation?.operation === OperationTypeNode.MUTATION ? rootFields(schema, document, operation) : [];
  if (!field) return;
  const needed = roleFor(field.name.value);
  const key = entities[kind].space;
  const row: Record<string, unknown> | null = await findById(kind, viewer, id, { select: { [key]: true } });
  if (row && !hasRole(viewer, String(row[key]), needed)) throw roleTooLow(needed);
}

/**
 * @returns a function that subscribes by a connection of its own, and returns the data of each event. The function and
 *   its events throw presentable errors.
 * @throws if the document does not fit the schema
 */
export function bindEvents<Data, Variables extends Record<string, unknown>>(
  executor: Executor,
  document: TadaDocumentNode<Data, Variables>,
) {
  requireFitting(executor.schema, 'a subscription', document);
  const options = { cost: costOf(executor.schema, document), bytes: 0, hasConnection: true };
  return async (variableValues: Variables, contextValue: Context): Promise<AsyncGenerator<Data, void>> => {
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
  };
}

const firstError = ({ errors: [error] = [] }: ExecutionResult): Error | undefined => error?.originalError ?? error;
