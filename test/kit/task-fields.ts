import type { Field, FieldOf, FieldType, InputName, ScalarType } from '../../src/platform/fields.ts';
import { taskFields } from '../../src/tasks/fields.ts';

type Name = FieldOf<typeof taskFields, InputName>;

/** Samples that differ from the defaults of a new task. */
const values: Record<ScalarType, unknown> = {
  text: '#12abcd',
  boolean: true,
  integer: 42,
  date: '2027-02-28',
  timestamp: '2027-02-28T09:30:00.000Z',
};
const sampleOf = (type: FieldType) =>
  typeof type === 'string' ? values[type] : 'values' in type ? Object.keys(type.values)[0] : undefined;
const valuesOf: Partial<Record<Name, unknown>> = { isAllDay: false };

/** Every writable field of a task, with a value. */
export const fieldSamples = (Object.entries<Field>(taskFields) as [Name, Required<Pick<Field, 'inputs'>> & Field][])
  .filter(([, { inputs }]) => (inputs as unknown) !== undefined)
  .map(([name, field]) => ({ name, field, value: valuesOf[name] ?? sampleOf(field.type) }));

export const toRestValue = (value: unknown) => (value === 'HIGH' ? 'high' : value);

/** A body of `POST /api/v2/todo` with every field. */
export const fullTask = (): Record<string, unknown> =>
  Object.fromEntries(
    fieldSamples
      .filter(({ field }) => field.inputs.includes('create'))
      .map(({ name, value }) => [name, toRestValue(value)]),
  );
