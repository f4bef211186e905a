import { z } from 'zod';
import { entities, type EntityKind } from '../src/platform/entities.ts';

/** JSON Schema 2020-12, as in OpenAPI 3.1. */
export type JsonSchema = z.core.JSONSchema.JSONSchema;

/** Wire types of shapes that parse text. */
const sent = z.registry<JsonSchema>();

/** Replaces the derived JSON Schema. */
export function sentAs<Shape extends z.ZodType>(shape: Shape, schema: JsonSchema): Shape {
  sent.add(shape, schema);
  return shape;
}

/** @param bounds inclusive */
export function queryNumber(bounds: { minimum: number; maximum: number; default: number; description: string }) {
  const { minimum, maximum } = bounds;
  const error = `must be a whole number from ${minimum} to ${maximum.toLocaleString('en')}`;
  const shape = z
    .string()
    .regex(new RegExp(`^\\d{1,${String(maximum).length}}$`), { error })
    .transform(Number)
    .refine((value) => value >= minimum && value <= maximum, { error });
  return sentAs(shape, { type: 'integer', ...bounds });
}

/** Refused with a reason, and not documented. */
const isRefused = (shape: z.core.$ZodType): boolean =>
  shape instanceof z.ZodOptional ? isRefused(shape.unwrap()) : shape instanceof z.ZodUndefined;

const place = '#/components/schemas/';

export class Components {
  readonly schemas: Record<string, JsonSchema> = {};

  /** For client input. Shapes with an `id` become references. */
  schemaOf(shape: z.ZodType): JsonSchema {
    const { $defs = {}, ...schema } = z.toJSONSchema(shape, {
      io: 'input',
      unrepresentable: 'any',
      override({ zodSchema, jsonSchema }) {
        const own = sent.get(zodSchema);
        // Zod describes the parsed value.
        if (own) for (const key of Object.keys(jsonSchema)) Reflect.deleteProperty(jsonSchema, key);
        Object.assign(jsonSchema, own);
        if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
        if (!(zodSchema instanceof z.ZodObject)) return;
        const { properties = {} } = jsonSchema;
        const { shape: fields } = zodSchema as z.ZodObject<Record<string, z.ZodType>>;
        const isOffered = (name: string) => !isRefused(fields[name] ?? z.never());
        jsonSchema.properties = Object.fromEntries(Object.entries(properties).filter(([name]) => isOffered(name)));
      },
    });
    for (const [name, each] of Object.entries($defs)) this.schemas[name] = referring(each);
    delete schema.$schema;
    return referring(schema);
  }
}

const referring = (schema: JsonSchema): JsonSchema =>
  JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', `"${place}`)) as JsonSchema;

export const reference = (kind: 'schemas' | 'responses' | 'headers' | 'parameters', name: string) => ({
  $ref: `#/components/${kind}/${name}`,
});

/** ISO 8601 in UTC. */
export const moment = () => z.string().meta({ format: 'date-time', examples: ['2026-11-23T09:30:00.000Z'] });

export const count = () => z.int().nonnegative();

export const exampleIdOf = (kind: EntityKind): string => `${entities[kind].prefix}_01kax2w3zsfq1bq9rm3p2y6x4d`;

export const idOf = (kind: EntityKind, what = kind.toLowerCase()) =>
  z.string().meta({ description: `Id of the ${what}.`, examples: [exampleIdOf(kind)] });
