import type { TadaDocumentNode } from 'gql.tada';
import { type DocumentNode, type GraphQLSchema, validate } from 'graphql';
import type { Context } from '../src/kernel/context.ts';
import { executeOperation } from '../src/graphql/execute.ts';
import { subscribeOperation, type SubscribeOptions } from '../src/graphql/subscribe.ts';
import { type ListArguments, sendSections, type SendTasks, sendTasks, type TaskStream } from '../src/tasks/streams.ts';
import type { Route } from './route.ts';

export { type Export, exportedLists, sendExport } from '../src/exports/rules.ts';
export type { SendTasks, TaskStream };

/** The one door from REST to the core: runs an operation of a row as the request's caller. */
export type Operation = (
  document: DocumentNode,
  variables: Record<string, unknown>,
  context: Context,
) => Promise<unknown>;

/**
 * Binds the rows to the schema.
 * @throws where a row's document does not fit the schema, so that the service does not start
 */
export function bindOperations(schema: GraphQLSchema, routes: readonly Route[]): Operation {
  for (const { method, path, document, resource } of routes) {
    const documents: DocumentNode[] = resource ? [document, resource.document] : [document];
    const errors = documents.flatMap((each) => validate(schema, each));
    if (errors.length > 0) {
      throw new Error(`${method.toUpperCase()} ${path} does not fit the schema: ${errors.map(String).join('; ')}`);
    }
  }
  return (document, variables, context) => executeOperation(schema, document, variables, context);
}

/** Lists without pages, of a caller's, that are sent while they are read; each throws where it does not come to its turn. */
export interface Streams {
  tasks(args: ListArguments): Promise<void>;
  sections(projectId: string): Promise<void>;
}

/** @param send sends all batches, when it is their turn */
export const streamsOf = (context: Context, send: SendTasks): Streams => ({
  tasks: (args) => sendTasks(context, args, send),
  sections: (projectId) => sendSections(context, projectId, send),
});

/**
 * Binds documents to the schema for an endpoint that is no row, as its answer never ends.
 * @throws where a document does not fit the schema, so that the service does not start
 */
export function bindSubscription(schema: GraphQLSchema, documents: readonly DocumentNode[]) {
  const errors = documents.flatMap((document) => validate(schema, document));
  if (errors.length > 0) throw new Error(`a subscription does not fit the schema: ${errors.map(String).join('; ')}`);
  return {
    query: (document: DocumentNode, variables: Record<string, unknown>, context: Context) =>
      executeOperation(schema, document, variables, context),
    subscribe: <Data, Variables extends Record<string, unknown>>(
      document: TadaDocumentNode<Data, Variables>,
      variables: Variables,
      context: Context,
      options: SubscribeOptions,
    ) => subscribeOperation(schema, document, variables, context, options) as Promise<AsyncGenerator<Data, void>>,
  };
}
