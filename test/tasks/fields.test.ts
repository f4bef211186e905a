import { beforeAll, describe, expect, test } from '@jest/globals';
import { castOf, type InputName } from '../../src/platform/fields.ts';
import type { taskFields } from '../../src/tasks/fields.ts';
import { type ListedTask, makeTask } from '../kit/make.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { fieldSamples, toRestValue } from '../kit/task-fields.ts';
import { signUp, type User } from '../kit/users.ts';

/** Values that a field needs beside it. */
const accompanyingFields: Partial<Record<keyof typeof taskFields, object>> = { dueTime: { isAllDay: false } };

const cases = fieldSamples.map((sample) => ({ ...sample, others: accompanyingFields[sample.name] ?? {} }));
const fieldsIn = (input: InputName) => cases.filter(({ field }) => field.inputs.includes(input));

let service: Service;
let user: User;

beforeAll(async () => {
  service = await sharedService();
  user = await signUp(service);
});

async function readOverGraphql(id: string, name: string): Promise<unknown> {
  const { data } = await user.graphql<{ task: Record<string, unknown> }>(
    `query ($id: ID!) { task(id: $id) { ${name} } }`,
    { id },
  );
  return data?.task[name];
}

async function readOverRest(id: string, name: string): Promise<unknown> {
  const { body } = await user.get<{ todos: ListedTask[] }>('/api/v2/todo');
  return body.todos.find((todo) => todo.id === id)?.[name as keyof ListedTask];
}

async function expectStored(id: string, name: string, value: unknown) {
  expect(await readOverGraphql(id, name)).toEqual(value);
  expect(await readOverRest(id, name)).toEqual(toRestValue(value));
}

const create = 'mutation ($input: CreateTaskInput!) { createTask(input: $input) { id } }';
const update = 'mutation ($id: ID!, $input: UpdateTaskInput!) { updateTask(id: $id, input: $input) { id } }';
const bulk =
  'mutation ($ids: [ID!]!, $input: BulkUpdateTasksInput!) { updateTasks(ids: $ids, input: $input) { count } }';

test.each(cases)('$name is a column of its type', async ({ name, field }) => {
  const column = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const [found] = await service.sql<{ type: string; isNullable: boolean }>(
    `SELECT format_type(atttypid, atttypmod) AS type, NOT attnotnull AS "isNullable" FROM pg_attribute
     WHERE attrelid = 'tasks'::regclass AND attname = $1`,
    [column],
  );
  const types = await service.sql<{ type: string }>(`SELECT format_type($1::regtype, $2) AS type`, [
    castOf(field.type).replace(/\(.*/, ''),
    /\((?<digits>\d)\)/.exec(castOf(field.type))?.groups?.['digits'] ?? null,
  ]);
  expect(found).toEqual({ type: types[0]?.type, isNullable: field.nullable });
});

describe.each(fieldsIn('create'))('a new task with $name', ({ name, value, others }) => {
  test('has it, by a mutation', async () => {
    const input = { title: 'new', [name]: value, ...others };
    const { data } = await user.graphql<{ createTask: { id: string } }>(create, { input });
    await expectStored(data?.createTask.id ?? '', name, value);
  });

  test('has it, by POST', async () => {
    const { id } = await makeTask(user, { [name]: toRestValue(value), ...others });
    await expectStored(id, name, value);
  });
});

describe.each(fieldsIn('update'))('an update of $name', ({ name, field, value, others }) => {
  test('is stored, by a mutation', async () => {
    const { id } = await makeTask(user);
    await user.graphql(update, { id, input: { [name]: value, ...others } });
    await expectStored(id, name, value);
  });

  test('is stored and logged, by PATCH', async () => {
    const { id } = await makeTask(user);
    await user.patch(`/api/v2/todo/${id}`, { [name]: toRestValue(value), ...others });
    await expectStored(id, name, value);
    const [loggedChange] = await service.sql(
      'SELECT fields FROM task_changes WHERE $1 = ANY (task_ids) AND kind = $2',
      [id, 'UPDATED'],
    );
    expect(loggedChange).toEqual({ fields: expect.arrayContaining([name]) });
  });

  test(field.nullable ? 'to null clears it' : 'to null is refused', async () => {
    const { id } = await makeTask(user);
    await user.patch(`/api/v2/todo/${id}`, { [name]: toRestValue(value), ...others });
    const before = await readOverGraphql(id, name);
    const { errors } = await user.graphql(update, { id, input: { [name]: null } });
    const { status } = await user.patch(`/api/v2/todo/${id}`, { [name]: null });
    expect(await readOverGraphql(id, name)).toEqual(field.nullable ? null : before);
    expect({ code: errors?.[0]?.extensions['code'], status }).toEqual(
      field.nullable ? { status: 200 } : { code: 'VALIDATION_FAILED', status: 400 },
    );
  });
});

describe.each(cases)('an update of $name of many', ({ name, field, value, others }) => {
  const isBulk = field.inputs.includes('bulk');

  test(isBulk ? 'is stored, by a mutation' : 'is refused by the schema', async () => {
    const { id } = await makeTask(user);
    const { errors } = await user.graphql(bulk, { ids: [id], input: { [name]: value, ...others } });
    if (isBulk) await expectStored(id, name, value);
    else expect(errors?.[0]?.extensions['code']).toBe('VALIDATION_FAILED');
  });

  test(isBulk ? 'is stored, by PATCH' : 'is refused over REST', async () => {
    const { id } = await makeTask(user);
    const { status } = await user.patch(`/api/v2/todo/bulk?todoIds=${id}`, { [name]: toRestValue(value), ...others });
    if (isBulk) await expectStored(id, name, value);
    else expect(status).toBe(400);
  });
});
