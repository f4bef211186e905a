import {
  type DocumentNode,
  type FragmentDefinitionNode,
  Kind,
  OperationTypeNode,
  type SelectionSetNode,
} from 'graphql';
import { presentable } from '../kernel/execute.ts';
import type { Caller, RequestLimits } from '../kernel/request-limits.ts';
import type { CheckedOperation, CheckOperation, OperationRequest, RefusedOperation } from './operation.ts';

/** {@link CheckOperation}, which counts what it is asked for: no transport is given another one. */
export type CheckCallersOperation = (request: OperationRequest, caller: Caller) => CheckedOperation | RefusedOperation;

/** Counts each operation, by its cost and by what it writes, for whoever sends it; RATE_LIMITED is its error then. */
export const countedChecker =
  (check: CheckOperation, limits: RequestLimits): CheckCallersOperation =>
  (request, caller) => {
    const { requestId } = caller;
    const checked = check(request, { requestId, hasSession: caller.session !== undefined });
    try {
      if (checked.errors) limits.countRefused(caller);
      else limits.countOperation(caller, { cost: checked.cost, writes: writesOf(checked) });
    } catch (error) {
      return { errors: [presentable(error, requestId)], malformed: false };
    }
    return checked;
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
