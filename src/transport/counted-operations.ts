import {
  type DocumentNode,
  type FragmentDefinitionNode,
  Kind,
  OperationTypeNode,
  type SelectionSetNode,
} from 'graphql';
import { presentable } from '../graphql/execute.ts';
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
      if (!checked.errors) limits.countOperation(caller, { cost: checked.cost, writes: writesOf(checked) });
      else if (checked.errors[0].extensions['code'] !== 'RATE_LIMITED') limits.countRefused(caller);
      return checked;
    } catch (error) {
      return { errors: [presentable(error, requestId)], malformed: false };
    }
  };

/** Each field of a mutation writes, whatever aliases and fragments it stands in. */
function writesOf({ document, operation }: CheckedOperation): number {
  return operation.operation === OperationTypeNode.MUTATION ? fieldsOf(document, operation.selectionSet) : 0;
}

function fieldsOf(document: DocumentNode, selectionSet: SelectionSetNode, seen = new Set<string>()): number {
  let fields = 0;
  for (const selection of selectionSet.selections) {
    if (selection.kind === Kind.FIELD) fields += 1;
    else if (selection.kind === Kind.INLINE_FRAGMENT) fields += fieldsOf(document, selection.selectionSet, seen);
    else if (!seen.has(selection.name.value)) {
      const name = selection.name.value;
      seen.add(name);
      const fragment = document.definitions.find(
        (node): node is FragmentDefinitionNode => node.kind === Kind.FRAGMENT_DEFINITION && node.name.value === name,
      );
      if (fragment) fields += fieldsOf(document, fragment.selectionSet, seen);
    }
  }
  return fields;
}
