import type { RequestHandler } from 'express';
import { OperationTypeNode } from 'graphql';
import type { BodyParser, RequestBodies } from './request-body.ts';
import type { RequestLimits } from './request-limits.ts';
import type { CheckOperation } from '../graphql/check-operation.ts';
import { isForm, readOperationRequest } from './graphql-body.ts';

export interface SpentMutations {
  check: CheckOperation;
  limits: RequestLimits;
  bodies: RequestBodies;
}

/**
 * Refuses mutations of sessions that may not write in this window before the session is looked up. What an operation is stands
 * in its body: for those alone it is read first.
 */
export const refuseSpentMutations =
  ({ check, limits, bodies }: SpentMutations): RequestHandler =>
  async (request, _response, next) => {
    const caller = request.method === 'POST' ? limits.spentWriter(request) : undefined;
    if (!caller) return next();
    if (!isForm(request)) {
      const sender = { account: caller.session.userId, clientAddress: caller.clientAddress };
      const receive = (parser: BodyParser) => bodies.receive(request, sender, parser);
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
