import type { TadaDocumentNode } from 'gql.tada';
import { type FragmentDefinitionNode, parse } from 'graphql';
import { z } from 'zod';
import { parseDate, parseDateTime } from '../src/platform/dates.ts';
import type { EntityKind } from '../src/platform/entities.ts';
import {
  type EnumType,
  type Field,
  type FieldOf,
  type Fields,
  fieldsOfInput,
  type FieldType,
  type InputName,
  graphqlTypeName,
  type ScalarType,
  type ValueOf,
  valuesOf,
} from '../src/platform/fields.ts';
import { isEmpty } from '../src/platform/input.ts';
import { type ShapesOf, shapesOf } from '../src/platform/shapes.ts';
import { graphql } from './graphql.ts';
import { exampleIdOf, idOf, moment } from './json-schema.ts';

type NameOf<Of extends Fields, Name extends keyof Of> = Of[Name]['rest'] extends false
  ? never
  : Of[Name] extends { rest: { name: infer Other extends string } }
    ? Other
    : Name;

type Visible<Of extends Fields> = { [Name in keyof Of as Of[Name]['rest'] extends false ? never : Name]: Of[Name] };

/** REST names with GraphQL values. */
type DataOf<Of extends Fields> = { [Name in keyof Of as NameOf<Of, Name>]: ValueOf<Of[Name]> };

type Shown<Of extends Field> = Of['type'] extends EnumType
  ? Lowercase<Extract<ValueOf<Of>, string>> | Extract<ValueOf<Of>, null>
  : ValueOf<Of> | (Of extends { rest: { nullable: true } } ? null : never);

type Shows<Of extends Fields> = { [Name in keyof Of as NameOf<Of, Name>]: Shown<Of[Name]> };

type ResponseOf<Of extends Fields> = z.ZodObject<{
  [Name in keyof Shows<Of> & string]: z.ZodType<Shows<Of>[Name], Shows<Of>[Name]>;
}>;

const scalars = {
  text: () => z.string(),
  boolean: () => z.boolean(),
  integer: () => z.int(),
  date: () => z.string().meta({ format: 'date', examples: ['2026-12-24'] }),
  timestamp: moment,
} satisfies Record<ScalarType, () => z.ZodType>;

function responseOf({ type, nullable, description, rest, shape: bounds }: Field): z.ZodType {
  const own = { description, ...rest };
  const examples = own.example === undefined ? {} : { examples: [own.example] };
  const isNullable = nullable || own.nullable;
  if (typeof type === 'object' && 'idOf' in type) {
    const id = z.string().meta({ description: own.description, examples: [exampleIdOf(type.idOf)] });
    return isNullable ? id.nullable() : id;
  }
  if (typeof type === 'object' && 'idsOf' in type) return z.array(idOf(type.idsOf)).describe(description);
  const scalar = () => (type === 'integer' && bounds) || scalars[type as ScalarType]();
  const shape = typeof type === 'object' ? z.enum(valuesOf(type).map((value) => value.toLowerCase())) : scalar();
  return (isNullable ? shape.nullable() : shape).meta({
    ...(own.description && { description: own.description }),
    ...examples,
  });
}

/** For types that JSON lacks, or that the contract writes differently. */
const wireShape = (type: FieldType) => {
  if (typeof type === 'object') return 'values' in type ? lowerEnum(type) : undefined;
  return { date, timestamp }[type as string];
};
export const date = z
  .string()
  .refine((value) => parseDate(value), { error: 'must be a date that exists, as YYYY-MM-DD' })
  .meta({ format: 'date' });
export const timestamp = z
  .string()
  .refine((value) => parseDateTime(value), { error: 'must be an ISO 8601 date and time' })
  .meta({ format: 'date-time' });

/** @param description omitted if another response extends this one */
export function entity<
  Kind extends
    EntityKind | 'Claim' | 'Member' | 'Membership' | 'Occurrence' | 'Preferences' | 'Recurrence' | 'WebhookAttempt',
  const Of extends Fields,
>(kind: Kind, fields: Of, description?: string) {
  const visible = Object.entries<Field>(fields).filter(([, { rest }]) => rest !== false);
  const shown = visible.map(([name, field]) => ({ name, as: (field.rest || undefined)?.name ?? name, field }));
  const enums = shown.flatMap(({ as, field: { type } }) => (typeof type === 'object' && 'values' in type ? [as] : []));
  const selections = shown.map(({ name, as }) => (name === as ? name : `${as}: ${name}`));
  const fragment = parse(`fragment ${kind}Fields on ${kind} { ${selections.join(' ')} }`, { noLocation: true });
  const response = z.object(Object.fromEntries(shown.map(({ as, field }) => [as, responseOf(field)])));
  return {
    fields,
    fragment: fragment as TadaDocumentNode<
      DataOf<Of>,
      Record<string, never>,
      { fragment: `${Kind}Fields`; on: Kind; masked: false }
    >,
    response: (description ? response.meta({ id: kind, description }) : response) as unknown as ResponseOf<Of>,
    /** Keeps other selections. */
    show: <Data extends DataOf<Of>>(data: Data) => {
      const row: Record<string, unknown> = { ...data };
      for (const name of enums) row[name] = lower(row[name] as string | null);
      return row as Omit<Data, keyof DataOf<Of>> & { [Name in keyof DataOf<Of>]: Shows<Of>[Name] };
    },
    /** Includes the id of a new entity. */
    body: <Input extends InputName>(input: Input) =>
      shapesOf(Object.fromEntries(visible), input, wireShape) as ShapesOf<Visible<Of>, Input, true>,
    /**
     * Makes the document, such as `mutation UpdateTag(…)`, with a variable for each input field.
     * @param others arguments by GraphQL type
     */
    mutation<Input extends 'create' | 'update', Result, None, Other extends string = never>(
      input: Input,
      result: TadaDocumentNode<Result, None, { fragment: string; on: Kind; masked: false }>,
      others: Record<Other, string>,
    ) {
      const isNew = input === 'create';
      const own = fieldsOfInput<Fields, Input>(fields, input).map(
        ([name, { type, required }]) => [name, `${graphqlTypeName(type)}${isNew && required ? '!' : ''}`] as const,
      );
      const types = Object.entries<string>({ id: isNew ? 'ID' : 'ID!', ...Object.fromEntries(own), ...others });
      const [spread] = result.definitions as FragmentDefinitionNode[];
      return graphql(
        `mutation ${isNew ? 'Create' : 'Update'}${kind}(${types.map(([name, type]) => `$${name}: ${type}`).join(', ')}) {
          ${input}${kind}(${types.map(([name]) => `${name}: $${name}`).join(', ')}) { ...${spread?.name.value ?? ''} }
        }`,
        [result] as never,
      ) as unknown as TadaDocumentNode<
        { [Name in `${Input}${Kind}`]: Result },
        { [Name in FieldOf<Of, Input>]?: ValueOf<Of[Name]> | null } & { [Name in Other | 'id']?: string | null }
      >;
    },
  };
}

export function lower<Value extends string>(value: Value): Lowercase<Value>;
export function lower<Value extends string>(value: Value | null): Lowercase<Value> | null;
export function lower(value: string | null) {
  return value === null ? null : value.toLowerCase();
}

export const lowerEnum = <const Type extends EnumType>(type: Type) =>
  z
    .enum(valuesOf(type).map((value) => value.toLowerCase() as Lowercase<typeof value>))
    .transform((value) => value.toUpperCase() as keyof Type['values'] & string);

export const changesOf = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.object(shape).refine((changes) => !isEmpty(changes), { error: `must have ${Object.keys(shape).join(' or ')}` });
