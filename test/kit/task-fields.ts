import { type TaskField, taskFields } from '../../src/tasks/fields.ts';

type Name = keyof typeof taskFields;

/** A value of each type as GraphQL takes and gives it, unlike what a new task has. */
const values: Record<TaskField['type'], unknown> = {
  text: '#12abcd',
  boolean: true,
  integer: 42,
  date: '2027-02-28',
  timestamp: '2027-02-28T09:30:00.000Z',
  priority: 'HIGH',
};
/** For fields that not any value fits. */
const valuesOf: Partial<Record<Name, unknown>> = { isAllDay: false };

/** Every field of a task that clients write, each with a value. */
export const fieldSamples = Object.entries<TaskField>(taskFields).map(([key, field]) => {
  const name = key as Name;
  return { name, field, value: valuesOf[name] ?? values[field.type] };
});

/** A value as REST takes and gives it. */
export const overRest = (value: unknown) => (value === 'HIGH' ? 'high' : value);

/** A body of `POST /api/v2/todo` that leaves no field out. */
export const fullTask = (): Record<string, unknown> =>
  Object.fromEntries(
    fieldSamples
      .filter(({ field }) => field.inputs.includes('create'))
      .map(({ name, value }) => [name, overRest(value)]),
  );
