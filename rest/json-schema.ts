import { z } from 'zod';
import { entities, type EntityKind } from '../src/kernel/entities.ts';

/** A JSON Schema (2020-12), as OpenAPI 3.1 has it. */
export type JsonSchema = z.core.JSONSchema.JSONSchema;

/** What is sent of shapes that read it from a text, such as a number of a query string. */
const sent = z.registry<JsonSchema>();

/** Says what JSON Schema a shape has, where zod would show how it is read instead. */
export function sentAs<Shape extends z.ZodType>(shape: Shape, schema: JsonSchema): Shape {
  sent.add(shape, schema);
  return shape;
}

/** A whole number of a query string. @param bounds both included; `description` for the OpenAPI document */
export function wholeNumber(bounds: { minimum: number; maximum: number; default: number; description: string }) {
  const { minimum, maximum } = bounds;
  const error = `must be a whole number from ${minimum} to ${maximum.toLocaleString('en')}`;
  const shape = z
    .string()
    .regex(new RegExp(`^\\d{1,${String(maximum).length}}$`), { error })
    .transform(Number)
    .refine((value) => value >= minimum && value <= maximum, { error });
  return sentAs(shape, { type: 'integer', ...bounds });
}

/** A field that is refused, with a reason: no client is offered it. */
const isRefused = (shape: z.core.$ZodType): boolean =>
  shape instanceof z.ZodOptional ? isRefused(shape.unwrap()) : shape instanceof z.ZodUndefined;

const place = '#/components/schemas/';

/** Named shapes of a document, by their names: each is described once. */
export class Components {
  readonly schemas: Record<string, JsonSchema> = {};

  /** JSON Schema of a shape, as a client sends it; shapes within it that have a name (`meta({ id })`) are references. */
  schemaOf(shape: z.ZodType): JsonSchema {
    const { $defs = {}, ...schema } = z.toJSONSchema(shape, {
      io: 'input',
      unrepresentable: 'any',
      override({ zodSchema, jsonSchema }) {
        const own = sent.get(zodSchema);
        // What zod has found is not what is sent.
        if (own) for (const key of Object.keys(jsonSchema)) Reflect.deleteProperty(jsonSchema, key);
        Object.assign(jsonSchema, own);
        // A bound of JavaScript's numbers says nothing of the value.
        if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
        if (!(zodSchema instanceof z.ZodObject)) return;
        const { properties = {} } = jsonSchema;
        const { shape: fields } = zodSchema as z.ZodObject<Record<string, z.ZodType>>;
        const isOffered = (name: string) => !isRefused(fields[name] ?? z.never());
        jsonSchema.properties = Object.fromEntries(Object.entries(properties).filter(([name]) => isOffered(name)));
      },
    });
    for (const [name, each] of Object.entries($defs)) this.schemas[name] = referring(each);
    // The document says which JSON Schema it has, for all.
    delete schema.$schema;
    return referring(schema);
  }
}

/** The same with its references to where a document has its components. */
const referring = (schema: JsonSchema): JsonSchema =>
  JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', `"${place}`)) as JsonSchema;

export const reference = (kind: 'schemas' | 'responses' | 'headers' | 'parameters', name: string) => ({
  $ref: `#/components/${kind}/${name}`,
});

/** A moment, ISO 8601 in UTC. */
export const moment = () => z.string().meta({ format: 'date-time', examples: ['2026-11-23T09:30:00.000Z'] });

export const count = () => z.int().nonnegative();

export const exampleIdOf = (kind: EntityKind): string => `${entities[kind].prefix}_01kax2w3zsfq1bq9rm3p2y6x4d`;

/** An id of a kind. @param what it is the id of, for people */
export const idOf = (kind: EntityKind, what = kind.toLowerCase()) =>
  z.string().meta({ description: `Id of the ${what}.`, examples: [exampleIdOf(kind)] });
