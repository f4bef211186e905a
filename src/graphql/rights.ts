import {
  type DocumentNode,
  getOperationAST,
  type GraphQLSchema,
  type OperationDefinitionNode,
  separateOperations,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import type { Rights, Viewer } from '../platform/context.ts';
import { requireRights } from '../platform/policy.ts';
import { rightsForMutation, userFieldsByToken } from '../platform/token-rights.ts';

const rightsByOperation = new WeakMap<OperationDefinitionNode, Rights>();

/** See `platform/token-rights.ts`. */
export function rightsOf(schema: GraphQLSchema, document: DocumentNode, operation: OperationDefinitionNode): Rights {
  const cached = rightsByOperation.get(operation);
  if (cached) return cached;
  const own = separateOperations(document)[operation.name?.value ?? ''] ?? document;
  const types = new TypeInfo(schema);
  let rights: Rights = 'read';
  const field = ({ name: { value } }: { name: { value: string } }) => {
    const parent = types.getParentType();
    if (value.startsWith('__') || rights === 'all') return;
    if (parent === schema.getMutationType()) rights = rightsForMutation(value);
    else if (parent?.name === 'User' && !userFieldsByToken.has(value)) rights = 'all';
  };
  visit(own, visitWithTypeInfo(types, { Field: field }));
  rightsByOperation.set(operation, rights);
  return rights;
}

/** @throws FORBIDDEN if the viewer's credential lacks the rights */
export function requireRightsFor(
  {
    schema,
    document,
    operationName,
  }: { schema: GraphQLSchema; document: DocumentNode; operationName?: string | null | undefined },
  viewer: Viewer | null,
): void {
  const operation = getOperationAST(document, operationName);
  if (!viewer || viewer.credential.rights === 'all' || !operation) return;
  requireRights(viewer.credential, rightsOf(schema, document, operation));
}
