import type { RequestHandler } from 'express';
import { OperationTypeNode } from 'graphql';
import type {
  CheckedOperation,
  CheckOperation,
  OperationRequest,
  RefusedOperation,
} from '../graphql/check-operation.ts';
import { presentable } from '../graphql/errors.ts';
import { isForm, readOperationRequest } from './graphql-body.ts';
import type { BodyParser, RequestBodies } from '../http/request-body.ts';
import type { Caller, RequestLimits } from '../http/request-limits.ts';

/** {@link CheckOperation} that counts operations: every transport uses it. */
export type CheckCallersOperation = (request: OperationRequest, caller: Caller) => CheckedOperation | RefusedOperation;

/**
 * Counts each operation, by the length of a new document, by its cost and by what it writes, for its sender;
 * RATE_LIMITED is its error then. Nothing is parsed for a sender who is refused already.
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

/**
 * Refuses mutations of sessions that may not write in this window before the session is looked up. Only the body says what an operation is:
 * for those sessions alone it is read first.
 */
export const refuseSpentMutations =
  (check: CheckOperation, limits: RequestLimits, bodies: RequestBodies): RequestHandler =>
  async (request, _response, next) => {
    const caller = request.method === 'POST' ? limits.spentWriter(request) : undefined;
    if (!caller) return next();
    if (!isForm(request)) {
      const owner = { account: caller.session.userId, clientAddress: caller.clientAddress };
      const receive = (parser: BodyParser) => bodies.receive(request, owner, parser);
      const parameters = await readOperationRequest(request, { receive, hasSession: true });
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
    // Files are for mutations.
    limits.requireWrites(caller);
    next();
  };
