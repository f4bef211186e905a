import { typeidUnboxed } from 'typeid-js';
import { nextIdOf } from '../tasks/repeating.ts';
import { type ActionContext, isDone, pick, someProject } from './acts.ts';
import { graphql, type Request, rest } from './requests.ts';

/** Title of tasks whose due dates are no marks: a completion gives the next occurrence a date. */
export const titleOfSeries = 'series';

const rules = [
  { rule: 'FREQ=DAILY' },
  { rule: 'FREQ=MONTHLY;BYMONTHDAY=-1;COUNT=20', basis: 'EACH' },
  { rule: 'FREQ=WEEKLY', basis: 'COMPLETION' },
];

/** Makes a repeating task, or acts on an occurrence. */
export async function actOnSeries(context: ActionContext): Promise<void> {
  const { createdIds, person, random, mark, send } = context;
  const { occurrences } = createdIds;
  const id = pick(context, occurrences.slice(-12));
  if (id === undefined || random() < 0.08) return makeSeries(context);
  const path = `/api/v2/todo/${id}`;
  const complete = async () => {
    const input = { completed: true };
    const bulk = rest('PATCH', `/api/v2/todo/bulk?todoIds=${id}`, input);
    const request = random() < 0.5 ? rest('PATCH', path, input) : bulk;
    if (isDone(await send(person, { request })) && !occurrences.includes(nextIdOf(id))) occurrences.push(nextIdOf(id));
  };
  const others: (() => Request)[] = [
    () => rest('PATCH', path, { completed: false }),
    () => rest('PATCH', `/api/v2/todo/bulk?todoIds=${occurrences.slice(-4).join()}`, { completed: false }),
    () => rest('PATCH', path, { title: `${titleOfSeries} ${mark}` }),
    () => rest('POST', `${path}/skip`),
    () => rest('DELETE', path),
    () => rest('PUT', `${path}/recurrence`, { rule: random() < 0.5 ? 'FREQ=DAILY' : 'FREQ=WEEKLY' }),
  ];
  const other = random() < 0.5 ? undefined : pick(context, others);
  if (!other) return complete();
  const { operationId } = await send(person, { request: other() });
  if (operationId === undefined || random() < 0.5) return;
  await send(person, { request: rest('POST', `/api/v2/operations/${operationId}/undo`) });
}

async function makeSeries(context: ActionContext): Promise<void> {
  const { createdIds, person, send, mark } = context;
  const id = typeidUnboxed('task');
  const title = `${titleOfSeries} ${mark}`;
  // Marks are earlier days.
  const dueDate = '3000-01-01';
  const input = { id, title, dueDate, projectId: someProject(context), recurrence: pick(context, rules) };
  const request = graphql('createTask', '$input: CreateTaskInput!', { input }, ' { id }');
  if (!isDone(await send(person, { request }))) return;
  createdIds.occurrences.push(id);
  await send(person, { request: rest('POST', '/api/v2/todo', { title, dueDate, parentId: id }) });
}
