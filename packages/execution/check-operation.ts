import { type DocumentNode, GraphQLError, type OperationDefinitionNode, OperationTypeNode, Source } from 'graphql';
import { z } from 'zod';
import { invalid, MalformedRequest, problemsOf } from '@taskgate/base';
import { rootFields } from './complexity.ts';
import { bytesOfDocument } from './document-cache.ts';
import type { CheckContext, Executor, Sender } from './envelop.ts';
import { codeOf, presentable } from './errors.ts';
import { countRefusedRequest } from './operation-metrics.ts';
import { operationNamed } from './named-operation.ts';
import { argumentPathAt } from './variables.ts';

export interface OperationRequest {
  query?: unknown;
  variables?: unknown;
  operationName?: unknown;
  extensions?: unknown;
}

export interface CheckedOperation {
  errors?: undefined;
  document: DocumentNode;
  operation: OperationDefinitionNode;
  operationName: string | undefined;
  variableValues: Record<string, unknown>;
  /** See `cost.ts`; for a subscription of each event. */
  cost: number;
  /** Top-level fields of a mutation, with fragments expanded. */
  writes: number;
  /** Memory of an open subscription's document and variables. */
  bytes: number;
}

export interface RefusedOperation {
  errors: [GraphQLError, ...GraphQLError[]];
  operation?: undefined;
  /** The request itself is invalid (GraphQL over HTTP: always 400). */
  malformed: boolean;
}

export type CheckOperation = (request: OperationRequest, sender: Sender) => CheckedOperation | RefusedOperation;

/** GraphQL over HTTP treats null as absent. */
const absentOr = <Shape extends z.ZodType>(type: Shape) => type.nullish().transform((value) => value ?? undefined);

const map = z.custom<Record<string, unknown>>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  { error: 'must be an object' },
);

const shape = z.object({
  query: absentOr(z.string()),
  variables: absentOr(map),
  // Some clients send an empty name.
  operationName: absentOr(z.string()).transform((name) => name || undefined),
  extensions: absentOr(map),
});

/**
 * Checks client operations on every transport. Cheap steps come first, so a hostile document costs little. Never
 * throws. REST documents are trusted and not checked.
 */
export const operationChecker =
  ({ schema, checksOf }: Pick<Executor, 'schema' | 'checksOf'>): CheckOperation =>
  (request, sender) => {
    try {
      const { query, variables = {}, operationName, extensions = {} } = readRequest(request);
      const context: CheckContext = { sender, query, variables, operationName, extensions, fields: 0, cost: 0 };
      const { parse, validate } = checksOf(context);
      const document = parse(new Source(query ?? ''));
      const errors = validate(schema, document);
      if (errors.length > 0) throw new AggregateError(errors.map((error) => withPath(document, explained(error))));
      const operation = operationNamed(document, operationName);
      const variableValues = declared(operation, variables);
      const bytes = operation.operation === OperationTypeNode.SUBSCRIPTION ? bytesHeld(document, variableValues) : 0;
      const writes =
        operation.operation === OperationTypeNode.MUTATION ? rootFields(schema, document, operation).length : 0;
      const { cost } = context;
      return { document, operation, operationName: operation.name?.value, variableValues, cost, writes, bytes };
    } catch (thrown) {
      const [first, ...others] = thrown instanceof AggregateError ? (thrown.errors as unknown[]) : [thrown];
      countRefusedRequest(codeOf(first));
      return {
        errors: [presentable(first, sender.requestId), ...others.map((error) => presentable(error, sender.requestId))],
        malformed: thrown instanceof MalformedRequest,
      };
    }
  };

function readRequest(request: OperationRequest): z.output<typeof shape> {
  const { data, error } = shape.safeParse(request);
  if (error) throw new MalformedRequest(problemsOf(error));
  const { query, extensions } = data;
  if (query === undefined && extensions?.['persistedQuery'] === undefined) {
    throw new MalformedRequest([{ path: 'query', message: 'is required' }]);
  }
  return data;
}

/** An open subscription does not hold undeclared variables. */
function declared({ variableDefinitions = [] }: OperationDefinitionNode, values: Record<string, unknown>) {
  const names = variableDefinitions
    .map(({ variable }) => variable.name.value)
    .filter((name) => Object.hasOwn(values, name));
  return Object.fromEntries(names.map((name) => [name, values[name]]));
}

const bytesHeld = (document: DocumentNode, variables: Record<string, unknown>): number =>
  bytesOfDocument(document) + 2 * JSON.stringify(variables).length;

/** If too many fields conflict (graphql 16.15). */
const aborted = 'Validation aborted.';

const explained = (error: GraphQLError): GraphQLError =>
  error.message === aborted ? invalid('query', 'repeats too many fields: select each once') : error;

const missing = [/argument "(\w+)" of type .* is required/, /^Field "\w+\.(\w+)" of required type/];

function withPath(document: DocumentNode, error: GraphQLError): GraphQLError {
  const [offset] = error.positions ?? [];
  const inside = offset === undefined ? '' : argumentPathAt(document, offset);
  const absent = missing.map((pattern) => pattern.exec(error.message)?.[1]).find(Boolean);
  const path = [inside, absent].filter(Boolean).join('.') || 'query';
  return new GraphQLError(error.message, {
    nodes: error.nodes,
    extensions: { code: 'VALIDATION_FAILED', errors: [{ path, message: error.message }] },
  });
}
