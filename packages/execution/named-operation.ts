import { type DocumentNode, getOperationAST, Kind, type OperationDefinitionNode, OperationTypeNode } from 'graphql';
import { invalid } from '@taskgate/base';
import type { OperationArgs } from './envelop.ts';

export const operationTypeOf = ({ document, operationName }: OperationArgs): OperationTypeNode =>
  getOperationAST(document, operationName)?.operation ?? OperationTypeNode.QUERY;

/** @throws VALIDATION_FAILED if there is no such operation */
export function operationNamed(document: DocumentNode, operationName: string | undefined): OperationDefinitionNode {
  const operation = getOperationAST(document, operationName);
  if (operation) return operation;
  const names = document.definitions.flatMap((node) =>
    node.kind === Kind.OPERATION_DEFINITION && node.name ? [node.name.value] : [],
  );
  if (names.length === 0) throw invalid('query', 'must have an operation');
  throw invalid('operationName', `must be one of ${names.slice(0, 20).join(', ')}`);
}
