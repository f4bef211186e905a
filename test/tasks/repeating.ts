import type { Recurrence } from '../../packages/recurrence/series.ts';
import type { Client, GraphqlAnswer } from '../kit/client.ts';
import { randomName } from '../kit/random.ts';
import type { Service } from '../kit/service.ts';

export interface RepeatingTask {
  id: string;
  title: string;
  completed: boolean;
  completedAt: string | null;
  createdAt: string;
  updatedAt: string;
  dueDate: string | null;
  dueTime: string | null;
  isAllDay: boolean | null;
  reminder: boolean;
  parentId: string | null;
  sortKey: string;
  tags: { id: string }[];
  recurrence: (Recurrence & { seriesId: string }) | null;
}

export const selection = `id title completed completedAt createdAt updatedAt dueDate dueTime isAllDay reminder parentId
  sortKey tags { id } recurrence { rule basis timeZone start date time number seriesId }`;

/** Daily by default. */
export async function makeRepeating(
  user: Client,
  recurrence: object = {},
  fields: object = { dueDate: '2040-01-01' },
): Promise<RepeatingTask> {
  const input = { title: randomName('task'), recurrence: { rule: 'FREQ=DAILY', ...recurrence }, ...fields };
  const { createTask } = await user.data<{ createTask: RepeatingTask }>(
    `mutation ($input: CreateTaskInput!) { createTask(input: $input) { ${selection} } }`,
    { input },
  );
  return createTask;
}

type Updated = GraphqlAnswer<{ updateTask: RepeatingTask }>;

export const tryUpdate = (user: Client, id: string, input: object): Promise<Updated> =>
  user.graphql(
    `mutation ($id: ID!, $input: UpdateTaskInput!) { updateTask(id: $id, input: $input) { ${selection} } }`,
    { id, input },
  );

/** Changes a task over GraphQL. */
export async function update(user: Client, id: string, input: object): Promise<RepeatingTask> {
  const { data, errors } = await tryUpdate(user, id, input);
  if (errors || !data) throw new Error(`the change failed: ${JSON.stringify(errors)}`);
  return data.updateTask;
}

export const complete = (user: Client, id: string, others: object = {}) =>
  update(user, id, { completed: true, ...others });
export const open = (user: Client, id: string) => update(user, id, { completed: false });

export async function updateMany(user: Client, ids: string[], input: object): Promise<number> {
  const { updateTasks } = await user.data<{ updateTasks: { count: number } }>(
    'mutation ($ids: [ID!]!, $input: BulkUpdateTasksInput!) { updateTasks(ids: $ids, input: $input) { count } }',
    { ids, input },
  );
  return updateTasks.count;
}

export const trySkip = (user: Client, id: string): Promise<GraphqlAnswer<{ skipOccurrence: RepeatingTask }>> =>
  user.graphql(`mutation ($id: ID!) { skipOccurrence(id: $id) { ${selection} } }`, { id });

async function tasksWith(user: Client, filter: object): Promise<RepeatingTask[]> {
  const { tasks } = await user.data<{ tasks: { nodes: RepeatingTask[] } }>(
    `query ($filter: TaskFilter) { tasks(filter: $filter, first: 500, orderBy: SORT_KEY) { nodes { ${selection} } } }`,
    { filter },
  );
  return tasks.nodes;
}

/** The occurrences of a task's series that the user sees, by date. */
export async function occurrencesOf(user: Client, { recurrence }: RepeatingTask): Promise<RepeatingTask[]> {
  const found = await tasksWith(user, { seriesId: recurrence?.seriesId ?? '' });
  return found.sort((a, b) => (dateOf(a) < dateOf(b) ? -1 : 1));
}

/** @throws if there is not exactly one */
export async function openOccurrence(user: Client, task: RepeatingTask): Promise<RepeatingTask> {
  const [found, ...others] = (await occurrencesOf(user, task)).filter(({ completed }) => !completed);
  if (!found || others.length > 0) throw new Error(`the series has ${found ? 'several' : 'no'} open occurrences`);
  return found;
}

export const dateOf = ({ recurrence }: RepeatingTask): string => recurrence?.date ?? '';

/** Of one project or parent, in their order. */
export const siblings = (user: Client, filter: { projectId: string } | { parentId: string }) =>
  tasksWith(user, { ...('projectId' in filter && { topLevel: true }), ...filter });

export const reload = async (user: Client, id: string): Promise<RepeatingTask | null> =>
  (
    await user.data<{ node: RepeatingTask | null }>(
      `query ($id: ID!) { node(id: $id) { ... on Task { ${selection} } } }`,
      { id },
    )
  ).node;

/** The id of the next occurrence, by arithmetic with the digits of TypeIDs. */
export function nextIdOf(id: string, steps = 1): string {
  const digits = '0123456789abcdefghjkmnpqrstvwxyz';
  const value = [...id.slice(-12)].reduce((sum, digit) => sum * 32n + BigInt(digits.indexOf(digit)), 0n);
  let rest = (value + BigInt(steps)) % 32n ** 12n;
  let text = '';
  for (let place = 0; place < 12; place += 1, rest /= 32n) text = digits.charAt(Number(rest % 32n)) + text;
  return id.slice(0, -12) + text;
}
/** The path of each refused argument. */
export const refusedPaths = ({ errors = [] }: GraphqlAnswer<unknown>): unknown[] =>
  errors.flatMap(({ extensions }) =>
    extensions.code === 'VALIDATION_FAILED'
      ? (extensions['errors'] as { path: string }[]).map(({ path }) => path)
      : [extensions.code],
  );

/** Today of a zone, with days added. */
export async function dayIn(service: Service, timeZone: string, days = 0): Promise<string> {
  const [row] = await service.sql<{ day: string }>(
    `SELECT to_char((now() AT TIME ZONE $1)::date + $2::integer, 'YYYY-MM-DD') AS day`,
    [timeZone, days],
  );
  return row?.day ?? '';
}
