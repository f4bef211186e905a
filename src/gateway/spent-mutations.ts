import type { Request, RequestHandler } from 'express';
import { OperationTypeNode } from 'graphql';
import type { ReceiveBody } from '../kernel/request-body.ts';
import type { RequestLimits } from '../kernel/request-limits.ts';
import type { CheckOperation } from './operation.ts';
import { isForm, readOperationRequest } from './request.ts';

export interface SpentMutations {
  check: CheckOperation;
  limits: RequestLimits;
  receiveFrom: (request: Request) => ReceiveBody;
}

/**
 * Refuses mutations of sessions and clients that may not write in this window before the session is looked up. What an
 * operation is stands in its body: for those alone it is read first.
 */
export const refuseSpentMutations =
  ({ check, limits, receiveFrom }: SpentMutations): RequestHandler =>
  async (request, _response, next) => {
    if (request.method !== 'POST' || !limits.hasSpentWrites(request)) return next();
    if (!isForm(request)) {
      const parameters = await readOperationRequest(request, { receive: receiveFrom(request), hasSession: false });
      if (!parameters) return next();
      const { id: requestId, clientAddress } = request;
      const caller = { requestId, clientAddress, session: undefined };
      const onNewDocument = (length: number) => limits.countDocument(caller, length);
      const { operation } = check(parameters, { requestId, hasSession: false, onNewDocument });
      limits.requireOpen(request);
      if (operation?.operation !== OperationTypeNode.MUTATION) return next();
    }
    // Files are for mutations.
    limits.requireWrites(request);
    next();
  };
