import type {
  DocumentNode,
  ExecutionArgs,
  ExecutionResult,
  GraphQLError,
  GraphQLSchema,
  ParseOptions,
  Source,
  ValidationRule,
} from 'graphql';
import { getOperationAST, OperationTypeNode } from 'graphql';
import type { Context } from '../kernel/context.ts';

/** Arguments of a validated operation. */
export type OperationArgs = Omit<ExecutionArgs, 'contextValue'> & { contextValue: Context };

/** Ends by throwing a presentable error. */
export type ResultStream = AsyncGenerator<ExecutionResult, void>;

export type Execute = (args: OperationArgs) => Promise<ExecutionResult> | ExecutionResult;
export type Subscribe = (
  args: OperationArgs,
) => Promise<ResultStream | ExecutionResult> | ResultStream | ExecutionResult;

// eslint-disable-next-line @typescript-eslint/no-invalid-void-type -- a hook may return nothing
type OrNothing<Value> = Value | void;

/** Hooks of Envelop around `execute` and `subscribe`. Envelop's own types are `any`. */
export interface ExecutionPlugin {
  onExecute?(call: {
    args: OperationArgs;
    context: Context;
    executeFn: Execute;
    setExecuteFn: (execute: Execute) => void;
    setResultAndStopExecution: (result: ExecutionResult) => void;
  }): OrNothing<{
    onExecuteDone(done: { result: ExecutionResult; setResult: (result: ExecutionResult) => void }): void;
  }>;
  onSubscribe?(call: {
    args: OperationArgs;
    context: Context;
    setSubscribeFn: (subscribe: Subscribe) => void;
    setResultAndStopExecution: (result: ExecutionResult) => void;
  }): OrNothing<{ onSubscribeResult(done: { result: ResultStream | ExecutionResult }): void }>;
}

/** The sender of a client's document. */
export interface Sender {
  requestId: string;
  /** Undefined if anonymous: such documents are not cached. */
  userId: string | undefined;
  /** Called before an uncached document is parsed. An error refuses it. @param length characters */
  onNewDocument: (length: number) => void;
}

/** Context of `parse` and `validate`. */
export interface CheckContext {
  sender: Sender;
  /** Undefined if the operation is sent by its hash. */
  query: string | undefined;
  operationName: string | undefined;
  variables: Record<string, unknown>;
  extensions: Record<string, unknown>;
  /** Number of fields, with fragments expanded. */
  fields: number;
  /** See `cost.ts`; for a subscription of each event. */
  cost: number;
}

type Parse = (source: Source, options?: ParseOptions) => DocumentNode;
type Validate = (
  schema: GraphQLSchema,
  document: DocumentNode,
  rules?: readonly ValidationRule[],
) => readonly GraphQLError[];

/** Hooks of Envelop around `parse` and `validate`. Both throw the refusals of plugins. */
export interface CheckPlugin {
  onParse?(call: { context: CheckContext; parseFn: Parse; setParseFn: (parse: Parse) => void }): void;
  onValidate?(call: {
    context: CheckContext;
    params: { documentAST: DocumentNode };
    setValidationFn: (validate: Validate) => void;
    addValidationRule: (rule: ValidationRule) => void;
    setResult: (errors: readonly GraphQLError[]) => void;
  }): OrNothing<(done: { valid: boolean }) => void>;
}

/** Functions of graphql-js within the plugins. */
export interface Enveloped {
  parse: Parse;
  validate: Validate;
  execute: Execute;
  subscribe: Subscribe;
}

/** Parses, validates and executes the operations of every transport. */
export interface Executor {
  schema: GraphQLSchema;
  /** @param context a {@link CheckContext} for `parse` and `validate`, a {@link Context} for `execute` and `subscribe` */
  getEnveloped: (context: CheckContext | Context) => Enveloped;
}

export const typeOf = ({ document, operationName }: OperationArgs): OperationTypeNode =>
  getOperationAST(document, operationName)?.operation ?? OperationTypeNode.QUERY;
