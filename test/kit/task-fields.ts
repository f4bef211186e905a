import type { Field, FieldOf, FieldType, InputName, ScalarType } from '../../src/kernel/fields.ts';
import { taskFields } from '../../src/tasks/fields.ts';

type Name = FieldOf<typeof taskFields, InputName>;

/** A value of each type as GraphQL takes and gives it, unlike what a new task has. */
const values: Record<ScalarType, unknown> = {
  text: '#12abcd',
  boolean: true,
  integer: 42,
  date: '2027-02-28',
  timestamp: '2027-02-28T09:30:00.000Z',
};
const sampleOf = (type: FieldType) =>
  typeof type === 'string' ? values[type] : 'values' in type ? Object.keys(type.values)[0] : undefined;
/** For fields that not any value fits. */
const valuesOf: Partial<Record<Name, unknown>> = { isAllDay: false };

/** Every field of a task that clients write, each with a value. */
export const fieldSamples = (Object.entries<Field>(taskFields) as [Name, Required<Pick<Field, 'inputs'>> & Field][])
  .filter(([, { inputs }]) => (inputs as unknown) !== undefined)
  .map(([name, field]) => ({ name, field, value: valuesOf[name] ?? sampleOf(field.type) }));

/** A value as REST takes and gives it. */
export const overRest = (value: unknown) => (value === 'HIGH' ? 'high' : value);

/** A body of `POST /api/v2/todo` that leaves no field out. */
export const fullTask = (): Record<string, unknown> =>
  Object.fromEntries(
    fieldSamples
      .filter(({ field }) => field.inputs.includes('create'))
      .map(({ name, value }) => [name, overRest(value)]),
  );
