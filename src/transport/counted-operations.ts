import { presentable } from '../graphql/errors.ts';
import type { Caller, RequestLimits } from './request-limits.ts';
import type {
  CheckedOperation,
  CheckOperation,
  OperationRequest,
  RefusedOperation,
} from '../graphql/check-operation.ts';

/** {@link CheckOperation}, which counts what it is asked for: no transport is given another one. */
export type CheckCallersOperation = (request: OperationRequest, caller: Caller) => CheckedOperation | RefusedOperation;

/**
 * Counts each operation, by the length of a new document, by its cost and by what it writes, for whoever sends it;
 * RATE_LIMITED is its error then. Of whoever is refused already nothing is parsed.
 */
export const countedChecker =
  (check: CheckOperation, limits: RequestLimits): CheckCallersOperation =>
  (request, caller) => {
    const { requestId } = caller;
    const onNewDocument = (length: number) => limits.countDocument(caller, length);
    try {
      limits.requireOperations(caller);
      const checked = check(request, { requestId, hasSession: caller.session !== undefined, onNewDocument });
      if (!checked.errors) limits.countOperation(caller, checked);
      else if (checked.errors[0].extensions['code'] !== 'RATE_LIMITED') limits.countRefused(caller);
      return checked;
    } catch (error) {
      return { errors: [presentable(error, requestId)], malformed: false };
    }
  };
