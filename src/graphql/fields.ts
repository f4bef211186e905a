import type { ArgumentRef, EnumRef, FieldRef, InputFieldRef } from '@pothos/core';
import type { z } from 'zod';
import {
  type EnumType,
  type Field,
  type Fields,
  fieldsOfInput,
  type FieldType,
  type InputName,
  kindOf,
  graphqlTypeName,
} from '../platform/fields.ts';
import { newIdRule } from '../platform/ids.ts';
import type { ShapesOf } from '../platform/shapes.ts';
import { builder, type SchemaTypes } from './builder.ts';

const enums = new Map<EnumType, EnumRef<SchemaTypes, string>>();

export function enumRef<const Type extends EnumType>(type: Type): EnumRef<SchemaTypes, keyof Type['values'] & string> {
  const { name, description, values } = type;
  const existing = enums.get(type);
  const entries = Object.entries(values).map(([value, meaning]) => [value, { description: meaning }]);
  const ref =
    existing ??
    builder.enumType(name, {
      description,
      values: Object.fromEntries(entries) as Record<string, { description: string }>,
    });
  enums.set(type, ref);
  return ref;
}

function graphqlType(type: FieldType) {
  if (typeof type !== 'object' || 'idOf' in type) return graphqlTypeName(type);
  return 'values' in type ? enumRef(type) : ['ID'];
}

/** Tests check the columns' types. */
export const exposed = (t: { expose(name: never, options: never): unknown }, fields: Fields) =>
  Object.fromEntries(
    Object.entries<Field>(fields)
      .filter(([, { isComputed }]) => !isComputed)
      .map(([name, { type, nullable, description, cost, listSize }]) => {
        const options = { type: graphqlType(type), nullable, description, extensions: { cost, listSize } };
        return [name, t.expose(name as never, options as never) as FieldRef<SchemaTypes>];
      }),
  );

type InputRef<Kind, Shape> = Kind extends 'Arg' ? ArgumentRef<SchemaTypes, Shape> : InputFieldRef<SchemaTypes, Shape>;

/** Includes a new entity's id. @param make `t.arg` of a mutation, or `t.field` of an input type */
export function inputFields<Of extends Fields, Input extends InputName, Kind extends 'Arg' | 'InputObject'>(
  make: (options: { type: 'String'; description: string }) => { kind: Kind },
  fields: Of,
  input: Input,
) {
  const isNew = input === 'create';
  const own = fieldsOfInput(fields, input).map(([name, field]) => {
    const options = {
      type: graphqlType(field.type),
      required: isNew && field.required === true,
      defaultValue: isNew ? field.default : undefined,
      description: field.inputDescription ?? field.description,
      extensions: { isNullAbsent: field.isNullAbsent },
    };
    return [name, make(options as { type: 'String'; description: string })];
  });
  const kind = isNew && kindOf(fields);
  const id = kind && make({ type: 'ID' as 'String', description: `Id of the new object: ${newIdRule(kind)}.` });
  return { ...(id && { id }), ...(Object.fromEntries(own) as object) } as {
    [Name in keyof ShapesOf<Of, Input>]: InputRef<Kind, z.input<ShapesOf<Of, Input>[Name]>>;
  };
}
