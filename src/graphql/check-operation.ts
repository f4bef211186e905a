import {
  type DocumentNode,
  getOperationAST,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  NoSchemaIntrospectionCustomRule,
  type OperationDefinitionNode,
  OperationTypeNode,
  parse,
  specifiedRules,
  validate,
  type ValidationRule,
} from 'graphql';
import { z } from 'zod';
import { invalid, type InputProblem, MalformedRequest, ValidationError } from '../kernel/errors.ts';
import { codeOf, presentable } from './errors.ts';
import { isText, maxProblems, notText, problemsOf } from '../kernel/input.ts';
import { requireNamedAccount } from '../kernel/named-account.ts';
import { countRefusedRequest } from './operation-metrics.ts';
import { bytesOfDocument, documentCache, type DocumentCache, ownCopy } from './document-cache.ts';
import { checkText, limits } from './limits.ts';
import { estimate, measure, rootFields } from './complexity.ts';
import { type PersistedOptions, persistedOperations } from './persisted.ts';
import { argumentPathAt, variableProblems } from './variables.ts';

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

export interface Sender {
  requestId: string;
  /** Undefined if anonymous: such documents are not cached. */
  userId: string | undefined;
  /** Called before an uncached document is parsed. An error refuses the operation. @param length characters */
  onNewDocument: (length: number) => void;
}

export type CheckOperation = (request: OperationRequest, sender: Sender) => CheckedOperation | RefusedOperation;

export interface CheckOptions {
  introspection: boolean;
  persisted: PersistedOptions;
  documents?: DocumentCache;
}

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

const TextLiteralsRule: ValidationRule = (context) => ({
  StringValue(node) {
    if (!isText(node.value)) context.reportError(new GraphQLError(notText, { nodes: node }));
  },
});

/**
 * Checks client operations on every transport. Cheap steps come first, so a hostile document costs little. Never
 * throws. REST documents are trusted and not checked.
 */
export function operationChecker(schema: GraphQLSchema, options: CheckOptions): CheckOperation {
  const { introspection, persisted, documents = documentCache() } = options;
  const rules = [...specifiedRules, TextLiteralsRule, ...(introspection ? [] : [NoSchemaIntrospectionCustomRule])];
  // Each error costs a search for its position. Suggestions would leak a hidden schema.
  const validation = { maxErrors: maxProblems, hideSuggestions: !introspection };
  const textOf = persistedOperations(persisted);

  function documentOf(sent: string, { userId, onNewDocument }: Sender): DocumentNode {
    const keep = userId !== undefined;
    const kept = documents.get(sent);
    if (kept) return kept.document;
    onNewDocument(sent.length);
    refuseAny(checkText(sent));
    const text = keep ? ownCopy(sent) : sent;
    const document = parse(text, { maxTokens: limits.tokens });
    const { problems, fields } = measure(schema, document);
    refuseAny(problems);
    const errors = validate(schema, document, rules, validation).map((error) => withPath(document, named(error)));
    if (errors.length > 0) throw new AggregateError(errors);
    if (keep) documents.set(text, { document, fields });
    return document;
  }

  return (request, sender) => {
    const { requestId, userId } = sender;
    try {
      const { query, variables: values = {}, operationName, extensions = {} } = readRequest(request);
      requireAccountOf(extensions, userId);
      const document = documentOf(textOf(query, extensions, userId !== undefined), sender);
      const operation = operationOf(document, operationName);
      refuseAny(variableProblems(schema, document, operation, values, !introspection));
      const { problems, cost } = estimate(schema, document, operation, values);
      refuseAny(problems);
      const variableValues = declared(operation, values);
      const bytes = operation.operation === OperationTypeNode.SUBSCRIPTION ? bytesHeld(document, variableValues) : 0;
      const writes =
        operation.operation === OperationTypeNode.MUTATION ? rootFields(schema, document, operation).length : 0;
      return { document, operation, operationName: operation.name?.value, variableValues, cost, writes, bytes };
    } catch (thrown) {
      const [first, ...others] = thrown instanceof AggregateError ? (thrown.errors as unknown[]) : [thrown];
      countRefusedRequest(codeOf(first));
      return {
        errors: [presentable(first, requestId), ...others.map((error) => presentable(error, requestId))],
        malformed: thrown instanceof MalformedRequest,
      };
    }
  };
}

/** @throws VALIDATION_FAILED, UNAUTHENTICATED */
export function requireAccountOf(extensions: unknown, userId: string | undefined): void {
  const { account } = (extensions ?? {}) as { account?: unknown };
  requireNamedAccount(account, 'extensions.account', userId);
}

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

function refuseAny(problems: InputProblem[]): void {
  if (problems.length > 0) throw new ValidationError(problems);
}

function operationOf(document: DocumentNode, operationName: string | undefined): OperationDefinitionNode {
  const operation = getOperationAST(document, operationName);
  if (operation) return operation;
  const names = document.definitions.flatMap((node) =>
    node.kind === Kind.OPERATION_DEFINITION && node.name ? [node.name.value] : [],
  );
  if (names.length === 0) throw invalid('query', 'must have an operation');
  throw invalid('operationName', `must be one of ${names.slice(0, 20).join(', ')}`);
}

/** If too many fields conflict (graphql 16.15). */
const aborted = 'Validation aborted.';

const named = (error: GraphQLError): GraphQLError =>
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
