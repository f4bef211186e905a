import { type DocumentNode, type GraphQLSchema, type OperationDefinitionNode, OperationTypeNode } from 'graphql';
import { rootFields } from '@taskgate/execution';

declare module 'graphql' {
  // eslint-disable-next-line @typescript-eslint/no-unused-vars -- merged declarations have the same parameters
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    /** Reason that excludes a mutation from stored responses. */
    ignoresIdempotencyKey?: string;
  }
}

/** Which fields may be stored under an idempotency key. `ignoresIdempotencyKey` marks cookies and secrets. */
export function storedPart(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): 'all' | 'some' | 'none' {
  if (operation.operation !== OperationTypeNode.MUTATION) return 'none';
  const mutations = schema.getMutationType()?.getFields() ?? {};
  const fields = rootFields(schema, document, operation).flatMap(({ name }) => mutations[name.value] ?? []);
  const stored = fields.filter(({ extensions }) => extensions.ignoresIdempotencyKey === undefined);
  if (stored.length === 0) return 'none';
  return stored.length === fields.length ? 'all' : 'some';
}
