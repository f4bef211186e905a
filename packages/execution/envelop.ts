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
import type { ExecutionContext } from './context.ts';

export type OperationArgs<Context extends ExecutionContext = ExecutionContext> = Omit<ExecutionArgs, 'contextValue'> & {
  contextValue: Context;
};

/** Ends by throwing a presentable error. */
export type ResultStream = AsyncGenerator<ExecutionResult, void>;

export type Execute = (args: OperationArgs) => Promise<ExecutionResult> | ExecutionResult;
export type Subscribe = (
  args: OperationArgs,
) => Promise<ResultStream | ExecutionResult> | ResultStream | ExecutionResult;

// eslint-disable-next-line @typescript-eslint/no-invalid-void-type -- a hook may return nothing
type OrNothing<Value> = Value | void;

export interface ExecutionCall<Context extends ExecutionContext = ExecutionContext> {
  args: OperationArgs<Context>;
  context: Context;
  setResultAndStopExecution: (result: ExecutionResult) => void;
}

/** Hooks of Envelop around `execute` and `subscribe`. Envelop's own types are `any`. */
export interface ExecutionPlugin<Context extends ExecutionContext = ExecutionContext> {
  onExecute?(
    call: ExecutionCall<Context> & { executeFn: Execute; setExecuteFn: (execute: Execute) => void },
  ): OrNothing<{
    onExecuteDone(done: { result: ExecutionResult; setResult: (result: ExecutionResult) => void }): void;
  }>;
  onSubscribe?(
    call: ExecutionCall<Context> & { setSubscribeFn: (subscribe: Subscribe) => void },
  ): OrNothing<{ onSubscribeResult(done: { result: ResultStream | ExecutionResult }): void }>;
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
  /** Number of fields with fragments expanded; 0 for a cached document. */
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

/** Hooks of Envelop around `parse` and `validate`. Both pass on the error that a hook throws. */
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

/** The executor adds its schema. */
export type BoundArgs<Context extends ExecutionContext = ExecutionContext> = Omit<OperationArgs<Context>, 'schema'>;

/** Runs the operations of every transport. `execute` never rejects. */
export interface Executor<Context extends ExecutionContext = ExecutionContext> {
  schema: GraphQLSchema;
  checksOf: (context: CheckContext) => Pick<Enveloped, 'parse' | 'validate'>;
  execute: (args: BoundArgs<Context>) => Promise<ExecutionResult>;
  subscribe: (args: BoundArgs<Context>) => Promise<ResultStream | ExecutionResult>;
}
