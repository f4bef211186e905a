import type { EnumRef, FieldRef } from '@pothos/core';
import type { EnumType, Field, Fields, FieldType, ScalarType } from '../kernel/fields.ts';
import { builder, type SchemaTypes } from './builder.ts';

const enums = new Map<EnumType, EnumRef<SchemaTypes, string>>();

/** The enum of the schema that a description is of: made when it is first used. */
export function enumRef<const Type extends EnumType>(type: Type): EnumRef<SchemaTypes, keyof Type['values'] & string> {
  const { name, description, values } = type;
  const known = enums.get(type);
  const entries = Object.entries(values).map(([value, meaning]) => [value, { description: meaning }]);
  const ref =
    known ??
    builder.enumType(name, {
      description,
      values: Object.fromEntries(entries) as Record<string, { description: string }>,
    });
  enums.set(type, ref);
  return ref;
}

const scalars = {
  text: 'String',
  boolean: 'Boolean',
  integer: 'Int',
  date: 'Date',
  timestamp: 'DateTime',
} as const satisfies Record<ScalarType, string>;

/** What GraphQL calls the type of a field. */
export function graphqlType(type: FieldType) {
  if (typeof type === 'string') return scalars[type];
  return 'idOf' in type ? 'ID' : enumRef(type);
}

/** The columns among the fields of an entity, for its object type. A column that is of another type fails the tests of the fields. */
export const exposed = (t: { expose(name: never, options: never): unknown }, fields: Fields) =>
  Object.fromEntries(
    Object.entries<Field>(fields)
      .filter(([, { isComputed }]) => !isComputed)
      .map(([name, { type, nullable, description }]) => [
        name,
        t.expose(name as never, { type: graphqlType(type), nullable, description } as never) as FieldRef<SchemaTypes>,
      ]),
  );
