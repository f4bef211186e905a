import type { RequestHandler } from 'express';
import { OperationTypeNode } from 'graphql';
import {
  type CheckedOperation,
  type CheckOperation,
  isForm,
  type OperationRequest,
  presentable,
  type ReadOperation,
  type RefusedOperation,
} from '@taskgate/execution';
import type { BodyParser, RequestBodies } from '@taskgate/http';
import type { Caller, RequestLimits } from '../http/request-limits.ts';

export type CheckCallersOperation = (request: OperationRequest, caller: Caller) => CheckedOperation | RefusedOperation;

/**
 * Counts the length of new documents, cost and writes for their sender. Nothing is parsed for a sender over its limit.
 */
export const countedChecker =
  (check: CheckOperation, limits: RequestLimits): CheckCallersOperation =>
  (request, caller) => {
    const { requestId } = caller;
    const onNewDocument = (length: number) => limits.countDocument(caller, length);
    try {
      limits.requireOperations(caller);
      const checked = check(request, { requestId, userId: caller.session?.userId, onNewDocument });
      if (!checked.errors) limits.countOperation(caller, checked);
      else if (checked.errors[0].extensions['code'] !== 'RATE_LIMITED') limits.countRefused(caller);
      return checked;
    } catch (error) {
      return { errors: [presentable(error, requestId)], malformed: false };
    }
  };

interface SpentMutationOptions {
  check: CheckOperation;
  limits: RequestLimits;
  bodies: RequestBodies;
  readOperation: ReadOperation;
}

/** Refuses mutations of sessions without writes left before a look-up. Only their bodies are read that early. */
export const refuseSpentMutations =
  ({ check, limits, bodies, readOperation }: SpentMutationOptions): RequestHandler =>
  async (request, _response, next) => {
    const caller = request.method === 'POST' ? limits.spentWriter(request) : undefined;
    if (!caller) return next();
    if (!isForm(request)) {
      const owner = { account: caller.session.userId, clientAddress: caller.clientAddress };
      const receive = (parser: BodyParser) => bodies.receive(request, owner, parser);
      const parameters = await readOperation(request, { receive, hasSession: true });
      if (!parameters) return next();
      const onNewDocument = (length: number) => limits.countDocument(caller, length);
      const sender = { requestId: caller.requestId, userId: caller.session.userId, onNewDocument };
      const operations = [parameters].flat() as OperationRequest[];
      const isMutation = (each: OperationRequest) =>
        check(each, sender).operation?.operation === OperationTypeNode.MUTATION;
      const writes = operations.some(isMutation);
      limits.requireOperations(caller);
      if (!writes) return next();
    }
    // Only mutations have files.
    limits.requireWrites(caller);
    next();
  };
