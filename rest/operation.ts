import type { TadaDocumentNode } from 'gql.tada';
import { type DocumentNode, type GraphQLSchema, validate } from 'graphql';
import type { Context } from '../src/kernel/context.ts';
import { executeOperation } from '../src/graphql/execute.ts';
import { subscribeOperation, type SubscribeOptions } from '../src/graphql/subscribe.ts';
import { type Export, sendExport } from '../src/exports/rules.ts';
import { compileFragment, type FragmentDocument } from '../src/nested-read/compiled-selection.ts';
import type { ListArguments } from '../src/tasks/stream-data.ts';
import { sendSections, sendTasks, type TaskBatches } from '../src/tasks/streams.ts';
import { ResourceOfPath } from './resource.ts';
import type { Route } from './route.ts';

export { exportedLists } from '../src/exports/rules.ts';
export type { Export, TaskBatches as TaskStream };

/** REST's one way to the core: runs an operation of a row as the request's caller. */
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
  for (const { method, path, document, alternative, resource } of routes) {
    const documents = [document, alternative?.document, resource && ResourceOfPath];
    const errors = documents.flatMap((each?: DocumentNode) => (each ? validate(schema, each) : []));
    if (errors.length > 0) {
      throw new Error(`${method.toUpperCase()} ${path} does not fit the schema: ${errors.map(String).join('; ')}`);
    }
  }
  return (document, variables, context) => executeOperation(schema, document, variables, context);
}

type Text = AsyncGenerator<string>;

/**
 * Lists without pages, of a caller's, that are sent while they are read: what fragments select of each row, as text. Each
 * throws where it does not come to its turn.
 * @param send sends the text, when it is its turn
 */
export const streamsOf = (schema: GraphQLSchema, context: Context, send: (text: Text) => Promise<void>) => ({
  tasks: <Task>(task: FragmentDocument<Task>, args: ListArguments, write: (stream: TaskBatches<Task>) => Text) =>
    sendTasks(context, args, compileFragment(schema, task), (stream) => send(write(stream))),
  sections: <Section, Task>(
    section: FragmentDocument<Section>,
    task: FragmentDocument<Task>,
    projectId: string,
    write: (stream: TaskBatches<Task, Section>) => Text,
  ) => {
    const rows = { section: compileFragment(schema, section), task: compileFragment(schema, task) };
    return sendSections(context, projectId, rows, (stream) => send(write(stream)));
  },
});

export type Streams = ReturnType<typeof streamsOf>;

/** Binds the export to the schema. @param todo what it shows of a task */
export const bindExport = <Todo>(schema: GraphQLSchema, todo: FragmentDocument<Todo>) => {
  const selection = compileFragment(schema, todo);
  return (context: Context, send: (all: Export<Todo>) => Promise<void>) => sendExport(context, selection, send);
};

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
