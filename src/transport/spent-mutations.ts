import type { Request, RequestHandler } from 'express';
import { OperationTypeNode } from 'graphql';
import type { ReceiveBody } from './request-body.ts';
import type { RequestLimits, SignedInCaller } from './request-limits.ts';
import type { CheckOperation } from '../graphql/check-operation.ts';
import { isForm, readOperationRequest } from './graphql-body.ts';

export interface SpentMutations {
  check: CheckOperation;
  limits: RequestLimits;
  /** How the body of a caller's request is come by. */
  receiveFrom: (request: Request, caller: SignedInCaller) => ReceiveBody;
}

/**
 * Refuses mutations of sessions that may not write in this window before the session is looked up. What an operation is stands
 * in its body: for those alone it is read first.
 */
export const refuseSpentMutations =
  ({ check, limits, receiveFrom }: SpentMutations): RequestHandler =>
  async (request, _response, next) => {
    const caller = request.method === 'POST' ? limits.spentWriter(request) : undefined;
    if (!caller) return next();
    if (!isForm(request)) {
      const receive = receiveFrom(request, caller);
      const parameters = await readOperationRequest(request, { receive, hasSession: true });
      if (!parameters) return next();
      const onNewDocument = (length: number) => limits.countDocument(caller, length);
      const { operation } = check(parameters, { requestId: caller.requestId, hasSession: true, onNewDocument });
      limits.requireOperations(caller);
      if (operation?.operation !== OperationTypeNode.MUTATION) return next();
    }
    // Files are for mutations.
    limits.requireWrites(caller);
    next();
  };
