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

/** Null is among the types of an update's fields, as GraphQL sends it; where it clears nothing, it is refused. */
type ShapeOf<Of extends Field, Input extends InputName, IsWire> = [Input, Of] extends ['create', { required: true }]
  ? z.ZodType<Value<Of, IsWire>, Value<Of, false>>
  : Of extends { isNullAbsent: true } | { nullable: Input extends 'create' ? never : false }
    ? z.ZodOptional<z.ZodType<Value<Of, IsWire>, Value<Of, IsWire> | null>>
    : z.ZodOptional<z.ZodNullable<z.ZodType<Value<Of, IsWire>, Value<Of, IsWire>>>>;

export type ShapesOf<Of extends Fields, Input extends InputName, IsWire = false> = {
  [Name in FieldOf<Of, Input>]: ShapeOf<Of[Name], Input, IsWire>;
} & (Input extends 'create' ? { id: ReturnType<typeof newEntityId> } : unknown);

/** The shape of a value in an API's JSON, by its type; undefined: the field's own. Such values are passed on as they came. */
type WireShape = (type: FieldType) => z.ZodType | undefined;

/** What a field may be by its type. */
function shapeOf(name: string, { type, shape }: Field): z.ZodType {
  if (typeof type === 'object' && 'values' in type) return z.enum(valuesOf(type));
  const own = { boolean: z.boolean(), date: z.date(), timestamp: z.date() }[type as string] ?? shape;
  if (!own) throw new Error(`${name} needs a shape, as clients write it, and its type says too little`);
  return own;
}

/** The shapes of the fields that an input has, a new entity's id among them. */
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
    if (field.isNullAbsent) return [name, wire ? shape.optional() : shape.nullish().transform(present).optional()];
    return [name, isNew || field.nullable ? shape.nullish() : shape.optional()];
  });
  const kind = isNew && kindOf(fields);
  return { ...(kind && { id: newEntityId(kind) }), ...(Object.fromEntries(shapes) as object) };
}

const present = (value: unknown) => value ?? undefined;
