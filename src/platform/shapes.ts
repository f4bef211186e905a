import { z } from 'zod';
import {
  type Field,
  type FieldOf,
  type Fields,
  fieldsOfInput,
  type FieldType,
  type InputName,
  kindOf,
  type ValueOf,
  valuesOf,
} from './fields.ts';
import { newEntityId } from './input.ts';

type Value<Of extends Field, IsWire> = IsWire extends true
  ? NonNullable<ValueOf<Of>>
  : Of['type'] extends 'date' | 'timestamp'
    ? Date
    : NonNullable<ValueOf<Of>>;

/** The type of an update allows null, because GraphQL sends it. The shape refuses null if it cannot clear the field. */
type ShapeOf<Of extends Field, Input extends InputName, IsWire> = [Input, Of] extends ['create', { required: true }]
  ? z.ZodType<Value<Of, IsWire>, Value<Of, false>>
  : Of extends { isNullAbsent: true } | { nullable: Input extends 'create' ? never : false }
    ? z.ZodOptional<z.ZodType<Value<Of, IsWire>, Value<Of, IsWire> | null>>
    : z.ZodOptional<z.ZodNullable<z.ZodType<Value<Of, IsWire>, Value<Of, IsWire>>>>;

export type ShapesOf<Of extends Fields, Input extends InputName, IsWire = false> = {
  [Name in FieldOf<Of, Input>]: ShapeOf<Of[Name], Input, IsWire>;
} & ([Input, Of] extends ['create', { id: unknown }] ? { id: ReturnType<typeof newEntityId> } : unknown);

/** Returns the shape of a type on the wire. Undefined if the field's own shape applies. */
type WireShape = (type: FieldType) => z.ZodType | undefined;

function shapeOf(name: string, { type, shape }: Field): z.ZodType {
  if (typeof type === 'object' && 'values' in type) return z.enum(valuesOf(type));
  const own = { boolean: z.boolean(), date: z.date(), timestamp: z.date() }[type as string] ?? shape;
  if (!own) throw new Error(`${name} needs a shape: clients write it, and its type is not enough`);
  return own;
}

/** Includes the id of a new entity. */
export function shapesOf<Of extends Fields, Input extends InputName>(fields: Of, input: Input): ShapesOf<Of, Input>;
export function shapesOf<Of extends Fields, Input extends InputName>(
  fields: Of,
  input: Input,
  wire: WireShape,
): ShapesOf<Of, Input, true>;
export function shapesOf(fields: Fields, input: InputName, wire?: WireShape) {
  const isNew = input === 'create';
  const shapes = fieldsOfInput(fields, input).map(([name, field]) => {
    const isDefault = isNew && field.default !== undefined;
    const description = (field.rest || undefined)?.description ?? field.description;
    const shape = (wire?.(field.type) ?? shapeOf(name, field)).meta({
      ...(description && { description }),
      ...(isDefault && { default: field.default }),
    });
    if (isNew && field.required) return [name, shape];
    if (field.isNullAbsent)
      return [name, wire ? shape.optional() : shape.nullish().transform(nullToUndefined).optional()];
    return [name, isNew || field.nullable ? shape.nullish() : shape.optional()];
  });
  const kind = isNew && kindOf(fields);
  return { ...(kind && { id: newEntityId(kind) }), ...(Object.fromEntries(shapes) as object) };
}

const nullToUndefined = (value: unknown) => value ?? undefined;
