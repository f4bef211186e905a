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

/** What a client sends to have an operation run: over HTTP, SSE, or as payload of WebSocket's `subscribe`. */
export interface OperationRequest {
  query?: unknown;
  variables?: unknown;
  operationName?: unknown;
  extensions?: unknown;
}

/** An operation that may be executed as it is. */
export interface CheckedOperation {
  errors?: undefined;
  document: DocumentNode;
  operation: OperationDefinitionNode;
  operationName: string | undefined;
  variableValues: Record<string, unknown>;
  /** As it is estimated: see `cost.ts`; of a subscription, for each event. */
  cost: number;
  /** The number of fields of a mutation, each of which writes, with aliases and fragments expanded; 0 for other operations. */
  writes: number;
  /** Of a subscription, the memory that its document and variables take while it is open. */
  bytes: number;
}

/** Why nothing is executed: at least one error, each with its code, ready to be sent. */
export interface RefusedOperation {
  errors: [GraphQLError, ...GraphQLError[]];
  operation?: undefined;
  /** Whether the request is none of GraphQL's at all (GraphQL over HTTP: always 400), not only its document. */
  malformed: boolean;
}

export interface Sender {
  /** Names the request in the log, should the check itself fail. */
  requestId: string;
  /** Id of the caller; undefined: nobody is signed in. Operations of strangers are checked each time, and leave nothing in memory. */
  userId: string | undefined;
  /**
   * Called for a document that is in no cache, before anything is done for it; what it throws refuses the operation.
   * @param length characters of its text
   */
  onNewDocument: (length: number) => void;
}

export type CheckOperation = (request: OperationRequest, sender: Sender) => CheckedOperation | RefusedOperation;

export interface CheckOptions {
  /** Whether introspection is allowed. */
  introspection: boolean;
  persisted: PersistedOptions;
  /** Where checked documents are cached; absent: in a cache of the default size. */
  documents?: DocumentCache;
}

/** GraphQL over HTTP takes null for absent. */
const absentOr = <Shape extends z.ZodType>(type: Shape) => type.nullish().transform((value) => value ?? undefined);

const map = z.custom<Record<string, unknown>>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  { error: 'must be an object' },
);

const shape = z.object({
  query: absentOr(z.string()),
  variables: absentOr(map),
  // Clients send an empty name for none.
  operationName: absentOr(z.string()).transform((name) => name || undefined),
  extensions: absentOr(map),
});

/** Strings of a document are text, as those of variables are. */
const TextLiteralsRule: ValidationRule = (context) => ({
  StringValue(node) {
    if (!isText(node.value)) context.reportError(new GraphQLError(notText, { nodes: node }));
  },
});

/**
 * Checks the operations of clients, for every transport alike, before anything is executed. It compares the account that the
 * operation names with the caller's, finds the text of a persisted
 * operation, holds the document against the limits, parses and validates it, and checks the variables; the cheap steps come
 * first, so that a hostile document costs little. It never throws. REST's own documents are trusted, and not checked here.
 */
export function operationChecker(schema: GraphQLSchema, options: CheckOptions): CheckOperation {
  const { introspection, persisted, documents = documentCache() } = options;
  const rules = [...specifiedRules, TextLiteralsRule, ...(introspection ? [] : [NoSchemaIntrospectionCustomRule])];
  // Each error is a search of the document for its place. If the schema is not to be seen, suggestions would show
  // it name by name.
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

/**
 * Holds an operation to the account of its `extensions.account`.
 * @throws VALIDATION_FAILED, UNAUTHENTICATED
 */
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

/** The variables that the operation has: a subscription holds no others while it is open. */
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

/** What `validate` says where it has compared too many fields of the same name with one another (graphql 16.15). */
const aborted = 'Validation aborted.';

const named = (error: GraphQLError): GraphQLError =>
  error.message === aborted ? invalid('query', 'repeats too many fields: select each once') : error;

const missing = [/argument "(\w+)" of type .* is required/, /^Field "\w+\.(\w+)" of required type/];

/** Gives a validation error its problem: the path of the argument that it is about, or else `query`. */
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
