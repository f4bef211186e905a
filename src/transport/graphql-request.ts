import type { Request } from 'express';
import type { ExecutionResult } from 'graphql';
import type { Context } from '../kernel/context.ts';
import type { CheckedOperation, OperationRequest, RefusedOperation } from '../graphql/check-operation.ts';

/** What is known of a request before Yoga sees it. */
export interface GraphqlRequest {
  /** What its members hold is looked at by the gate. Undefined where there is no operation by method or type. */
  parameters: OperationRequest | undefined;
  context: Context;
  /** Media type of the answer, unless it is a subscription's. */
  type: string;
  /** What the gate said of the operation, if there is one. */
  checked?: CheckedOperation | RefusedOperation;
  /** The result, where it was executed already. */
  result?: ExecutionResult;
}

const noted = new WeakMap<Request, GraphqlRequest>();

export const noteGraphqlRequest = (request: Request, facts: GraphqlRequest): void => void noted.set(request, facts);

/** @throws where nothing was noted */
export function graphqlRequestOf(request: Request): GraphqlRequest {
  const facts = noted.get(request);
  if (!facts) throw new Error('a request that was not read');
  return facts;
}
