import {
  type DocumentNode,
  getOperationAST,
  type GraphQLCompositeType,
  type GraphQLSchema,
  type OperationDefinitionNode,
  separateOperations,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import type { Rights, Viewer } from '../platform/context.ts';
import { hasRights, requireRights } from '../platform/policy.ts';
import { queriesOfSessions, rightsForMutation, userFieldsByToken } from '../platform/token-rights.ts';

const rightsByOperation = new WeakMap<OperationDefinitionNode, Rights>();

function rightsForField(schema: GraphQLSchema, parent: GraphQLCompositeType | null | undefined, field: string): Rights {
  if (parent === schema.getMutationType()) return rightsForMutation(field);
  const isForSessions =
    parent === schema.getQueryType()
      ? queriesOfSessions.has(field)
      : parent?.name === 'User' && !userFieldsByToken.has(field);
  return isForSessions ? 'all' : 'read';
}

/** The highest rights that a field needs: see `platform/token-rights.ts`. */
export function rightsOf(schema: GraphQLSchema, document: DocumentNode, operation: OperationDefinitionNode): Rights {
  const cached = rightsByOperation.get(operation);
  if (cached) return cached;
  const own = separateOperations(document)[operation.name?.value ?? ''] ?? document;
  const types = new TypeInfo(schema);
  let rights: Rights = 'read';
  const field = ({ name: { value } }: { name: { value: string } }) => {
    const needed = value.startsWith('__') ? 'read' : rightsForField(schema, types.getParentType(), value);
    if (!hasRights({ rights }, needed)) rights = needed;
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
