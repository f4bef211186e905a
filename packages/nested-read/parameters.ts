import { Sql } from '@prisma/client/runtime/client';
import { Parameter } from './parameter.ts';
import { type Arguments, serialized } from './rows.ts';

/**
 * Replaces values of conditions and limits by parameters. The remaining shape decides the statement's text. Nulls and
 * booleans stay, because the text contains them.
 * @param values receives the values
 */
export function parametrize(args: Arguments, values: unknown[]): Arguments {
  const parameter = (value: unknown) => new Parameter(values.push(value) - 1);
  const condition = (value: unknown, field?: string): unknown => {
    if (value === null || value === undefined || typeof value === 'boolean') return value;
    if (value instanceof Sql) return new Sql(value.strings, value.values.map(parameter));
    if (Array.isArray(value) && (field === 'AND' || field === 'OR')) return value.map((each) => condition(each));
    if (typeof value !== 'object' || Array.isArray(value) || value instanceof Date) return parameter(value);
    return mapped(value, condition);
  };
  const shape = (value: unknown, field?: string): unknown => {
    if (field === 'where') return condition(value);
    if (field === 'take' && value !== undefined) return parameter(value);
    if (typeof value !== 'object' || value === null || Array.isArray(value) || field === serialized) return value;
    return mapped(value, shape);
  };
  return shape(args) as Arguments;
}

function mapped(object: object, map: (value: unknown, field: string) => unknown): object {
  const result: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(object)) result[field] = map(value, field);
  return result;
}
