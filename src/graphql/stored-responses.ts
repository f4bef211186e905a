import { type DocumentNode, type GraphQLSchema, type OperationDefinitionNode, OperationTypeNode } from 'graphql';
import { rootFields } from './complexity.ts';

/**
 * Whether the answer to an operation may be kept under an idempotency key: that to a mutation, unless one of its fields says
 * by `notIdempotent` of `builder.ts` that it may not. Under such a field's name nothing is kept, as cookies and secrets are in play.
 */
export function isKept(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): 'whole' | 'in part' | 'never' {
  if (operation.operation !== OperationTypeNode.MUTATION) return 'never';
  const mutations = schema.getMutationType()?.getFields() ?? {};
  const fields = rootFields(schema, document, operation).flatMap(({ name }) => mutations[name.value] ?? []);
  const kept = fields.filter(({ extensions }) => extensions['notIdempotent'] === undefined);
  if (kept.length === 0) return 'never';
  return kept.length === fields.length ? 'whole' : 'in part';
}
