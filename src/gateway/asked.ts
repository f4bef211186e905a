import type { Request } from 'express';
import type { ExecutionResult } from 'graphql';
import type { Context } from '../kernel/context.ts';
import type { CheckedOperation, OperationRequest, RefusedOperation } from './operation.ts';

/** What is known of a request before Yoga sees it. */
export interface Asked {
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

const noted = new WeakMap<Request, Asked>();

export const noteAsked = (request: Request, asked: Asked): void => void noted.set(request, asked);

/** @throws where nothing was noted */
export function askedOf(request: Request): Asked {
  const asked = noted.get(request);
  if (!asked) throw new Error('a request that was not read');
  return asked;
}
