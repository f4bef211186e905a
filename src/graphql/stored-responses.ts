import {
  BREAK,
  type DocumentNode,
  type GraphQLSchema,
  type OperationDefinitionNode,
  OperationTypeNode,
  separateOperations,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { rootFields } from '@taskgate/execution';

declare module 'graphql' {
  // eslint-disable-next-line @typescript-eslint/no-unused-vars -- merged declarations have the same parameters
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    /** Reason that excludes a mutation from stored responses. */
    ignoresIdempotencyKey?: string;
    /** Whether a response with the field must not be stored, because it could outlive its contents. */
    isNeverStored?: boolean;
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

/** @returns a selected field that must not be stored, such as `Task.comments` */
export function unstorableField(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): string | undefined {
  const own = separateOperations(document)[operation.name?.value ?? ''] ?? document;
  const types = new TypeInfo(schema);
  let found: string | undefined;
  const Field = () => {
    const field = types.getFieldDef();
    if (!field?.extensions.isNeverStored) return undefined;
    found = `${types.getParentType()?.name ?? ''}.${field.name}`;
    return BREAK;
  };
  visit(own, visitWithTypeInfo(types, { Field }));
  return found;
}
