import type { TadaDocumentNode } from 'gql.tada';
import { parse } from 'graphql';
import { z } from 'zod';
import type { EntityKind } from '../src/kernel/entities.ts';
import {
  type EnumType,
  type Field,
  type Fields,
  type ScalarType,
  type ValueOf,
  valuesOf,
} from '../src/kernel/fields.ts';
import { exampleIdOf, moment } from './v1/responses.ts';

/** Names over REST of the fields that it shows. */
type NameOf<Of extends Fields, Name extends keyof Of> = Of[Name]['rest'] extends false
  ? never
  : Of[Name] extends { rest: { name: infer Other extends string } }
    ? Other
    : Name;

/** What the fragment gives: the names are REST's, the values GraphQL's. */
type DataOf<Of extends Fields> = { [Name in keyof Of as NameOf<Of, Name>]: ValueOf<Of[Name]> };

type Shown<Of extends Field> = Of['type'] extends EnumType
  ? Lowercase<Extract<ValueOf<Of>, string>> | Extract<ValueOf<Of>, null>
  : ValueOf<Of> | (Of extends { rest: { nullable: true } } ? null : never);

/** What REST shows. */
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

/** What REST shows of a field. */
function responseOf({ type, nullable, description, rest }: Field): z.ZodType {
  const own = { description, ...rest };
  const examples = own.example === undefined ? {} : { examples: [own.example] };
  const isNullable = nullable || own.nullable;
  if (typeof type === 'object' && 'idOf' in type) {
    const id = z.string().meta({ description: own.description, examples: [exampleIdOf(type.idOf)] });
    return isNullable ? id.nullable() : id;
  }
  const shape = typeof type === 'object' ? z.enum(valuesOf(type).map((value) => value.toLowerCase())) : scalars[type]();
  return (isNullable ? shape.nullable() : shape).meta({
    ...(own.description && { description: own.description }),
    ...examples,
  });
}

/** What REST shows of an entity beside its relations: it all follows from the description of its fields. */
export function entity<Kind extends EntityKind, const Of extends Fields>(kind: Kind, fields: Of) {
  const shown = Object.entries<Field>(fields).flatMap(([name, { rest, ...field }]) =>
    rest === false ? [] : [{ name, as: rest?.name ?? name, field: { ...field, rest } }],
  );
  const enums = shown.flatMap(({ as, field: { type } }) => (typeof type === 'object' && 'values' in type ? [as] : []));
  const selections = shown.map(({ name, as }) => (name === as ? name : `${as}: ${name}`));
  const fragment = parse(`fragment ${kind}Fields on ${kind} { ${selections.join(' ')} }`, { noLocation: true });
  const responses = shown.map(({ as, field }) => [as, responseOf(field)]);
  return {
    /** Selects them, under their names over REST. */
    fragment: fragment as TadaDocumentNode<
      DataOf<Of>,
      Record<string, never>,
      { fragment: `${Kind}Fields`; on: Kind; masked: false }
    >,
    /** What it shows of them. */
    response: z.object(Object.fromEntries(responses)) as unknown as ResponseOf<Of>,
    /** Shows what the fragment gave, and what else was selected with it. */
    show: <Data extends DataOf<Of>>(data: Data) => {
      const row: Record<string, unknown> = { ...data };
      for (const name of enums) row[name] = lower(row[name] as string | null);
      return row as Omit<Data, keyof DataOf<Of>> & { [Name in keyof DataOf<Of>]: Shows<Of>[Name] };
    },
  };
}

/** `HIGH` is `high` over REST. */
export function lower<Value extends string>(value: Value): Lowercase<Value>;
export function lower<Value extends string>(value: Value | null): Lowercase<Value> | null;
export function lower(value: string | null) {
  return value === null ? null : value.toLowerCase();
}

/** The shape of an enum of the core as REST takes it: `high` is `HIGH`. */
export const lowerEnum = <const Type extends EnumType>(type: Type) =>
  z
    .enum(valuesOf(type).map((value) => value.toLowerCase() as Lowercase<typeof value>))
    .transform((value) => value.toUpperCase() as keyof Type['values'] & string);
