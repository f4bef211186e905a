import fc from 'fast-check';
import { formatDate } from '../../src/platform/dates.ts';
import { occurrencesAfter, type Recurrence } from '../../packages/recurrence/series.ts';
import { makeProject, makeTag, makeTask, makeWorkspace } from '../kit/make.ts';
import type { Service } from '../kit/service.ts';
import { signUp, type User } from '../kit/users.ts';
import { makeRepeating, nextIdOf } from './repeating.ts';

interface Row {
  id: string;
  space_id: string;
  parent_id: string | null;
  completed: boolean;
  completed_at: string | null;
  due_date: string | null;
  recurrence: Recurrence | null;
}

export const action = fc.record({ kind: fc.nat(99), user: fc.nat(1), a: fc.nat(99), b: fc.nat(99) });
type Action = typeof action extends fc.Arbitrary<infer Value> ? Value : never;

const rules = [
  { rule: 'FREQ=DAILY' },
  { rule: 'FREQ=WEEKLY;BYDAY=MO,TH', basis: 'EACH' },
  { rule: 'FREQ=MONTHLY;COUNT=3' },
  { rule: 'FREQ=DAILY;INTERVAL=3', basis: 'COMPLETION' },
  { rule: 'FREQ=YEARLY;BYMONTH=1,7;BYMONTHDAY=-1', start: '2030-01-01' },
];

const updateOne = 'updateTask(id: $id, input: $input) { id }';
const documents = {
  update: `mutation ($id: ID!, $input: UpdateTaskInput!) { ${updateOne} }`,
  updateMany:
    'mutation ($ids: [ID!]!, $input: BulkUpdateTasksInput!) { updateTasks(ids: $ids, input: $input) { count } }',
  skip: 'mutation ($id: ID!) { skipOccurrence(id: $id) { id } }',
  remove: 'mutation ($id: ID!) { deleteTask(id: $id) }',
  restore: 'mutation ($ids: [ID!]!) { restore(ids: $ids) { applied } }',
  undo: 'mutation ($id: ID!) { undo(operationId: $id) { applied } }',
  create: 'mutation ($input: CreateTaskInput!) { createTask(input: $input) { id } }',
  move: 'mutation ($id: ID!, $after: ID!) { moveTask(id: $id, after: $after) { id } }',
  several: `mutation ($id: ID!, $other: ID!, $input: UpdateTaskInput!) {
    ${updateOne}
    other: updateTask(id: $other, input: { completed: false }) { id }
    again: ${updateOne}
  }`,
};

/** Anna and Bob, with repeating tasks in a workspace and in Anna's own project. */
export class SeriesWorld {
  readonly #service: Service;
  readonly #users: readonly User[];
  readonly #projects: readonly string[];
  readonly #tags: readonly string[];
  readonly #operations: string[] = [];
  /** Answers without errors, by action. */
  readonly done = new Map<string, number>();

  private constructor(service: Service, parts: { users: User[]; projects: string[]; tags: string[] }) {
    this.#service = service;
    this.#users = parts.users;
    this.#projects = parts.projects;
    this.#tags = parts.tags;
  }

  static async make(service: Service): Promise<SeriesWorld> {
    const [anna, bob] = [await signUp(service), await signUp(service)];
    const workspace = await makeWorkspace(anna, bob);
    const shared = (await makeProject(anna, { workspaceId: workspace.id })).id;
    const own = (await makeProject(anna)).id;
    const tags = [(await makeTag(anna)).id, (await makeTag(bob)).id];
    for (const [index, projectId] of [shared, shared, own].entries()) {
      const task = await makeRepeating(index === 1 ? bob : anna, rules[index], { projectId, dueDate: '2030-01-31' });
      const child = await makeTask(anna, { parentId: task.id, dueDate: '2030-01-30' });
      if (index === 0) await makeTask(anna, { parentId: child.id });
      await makeTask(anna, { projectId });
    }
    return new SeriesWorld(service, { users: [anna, bob], projects: [shared, own], tags });
  }

  rows(): Promise<Row[]> {
    return this.#service.sql<Row>(
      `SELECT id, space_id, parent_id, completed, completed_at::text, due_date::text, recurrence
       FROM tasks WHERE project_id = ANY ($1) OR space_id = ANY ($2) ORDER BY created_at, id`,
      [this.#projects, this.#users.map(({ id }) => id)],
    );
  }

  /** @throws Error if an invariant is broken */
  async run({ kind, user, a, b }: Action): Promise<void> {
    const before = await this.rows();
    const pick = (number: number, filter: (row: Row) => boolean = () => true) => {
      const found = before.filter(filter);
      return found[number % found.length]?.id ?? 'task_none';
    };
    const [open, done] = [
      (row: Row) => row.recurrence !== null && !row.completed,
      (row: Row) => row.recurrence !== null && row.completed,
    ];
    const trashed = await this.#service.sql<{ entity_id: string }>(
      'SELECT entity_id FROM trash WHERE space_id = ANY ($1) ORDER BY entity_id',
      [[...new Set(before.map((row) => row.space_id))]],
    );
    const recurrence = rules[b % rules.length];
    const choices: [number, keyof typeof documents, object][] = [
      [20, 'update', { id: pick(a, open), input: { completed: true, ...(b % 5 === 0 && { title: `title ${b}` }) } }],
      [15, 'update', { id: pick(a, done), input: { completed: false } }],
      [8, 'updateMany', { ids: [pick(a), pick(b), pick(a + b), pick(b, done)], input: { completed: b % 2 === 0 } }],
      [6, 'skip', { id: pick(a, open) }],
      [5, 'update', { id: pick(a), input: { title: `title ${b}`, dueDate: `2031-02-${10 + (b % 18)}` } }],
      [3, 'update', { id: pick(a), input: { tagIds: b % 2 === 0 ? [this.#tags[user]] : [] } }],
      [6, 'update', { id: pick(a), input: { recurrence, ...(b % 3 === 0 && { completed: b % 2 === 0 }) } }],
      [3, 'update', { id: pick(a, open), input: { recurrence: null } }],
      [5, 'update', { id: pick(a), input: { projectId: this.#projects[b % 2] } }],
      [4, 'update', { id: pick(a), input: { parentId: b % 2 === 0 ? pick(b) : null } }],
      [2, 'move', { id: pick(a), after: pick(b) }],
      [3, 'create', { input: { title: 'new', parentId: pick(a), ...(b % 2 === 0 && { recurrence }) } }],
      [4, 'remove', { id: pick(a) }],
      [4, 'restore', { ids: [trashed[a % trashed.length]?.entity_id ?? 'task_none'] }],
      [8, 'undo', { id: this.#operations.at(-1 - (a % Math.min(6, this.#operations.length || 1))) ?? 'op_none' }],
      [4, 'several', { id: pick(a, open), other: pick(b, done), input: { completed: true } }],
    ];
    let rest = kind;
    const [, name, variables] = choices.find(([share]) => (rest -= share) < 0) ?? [0, 'skip', { id: pick(a, open) }];
    const answer = await this.#users[user]?.post<{ errors?: { extensions: { code: string } }[] }>('/graphql', {
      query: documents[name],
      variables,
    });
    const { status = 500, body, headers } = answer ?? {};
    const what = `${name} ${JSON.stringify(variables)} by ${user}`;
    if (status >= 500 || body?.errors?.some(({ extensions }) => extensions.code === 'INTERNAL')) {
      throw new Error(`${what} met a fault: ${JSON.stringify(body)}`);
    }
    if (!body?.errors) this.done.set(name, (this.done.get(name) ?? 0) + 1);
    this.#operations.push(...(headers?.get('x-operation-id')?.split(', ') ?? []));
    const after = await this.rows();
    requireSeries(what, after);
    if (name === 'update' || name === 'updateMany') {
      requireIds(what, { before, after, trashed: new Set(trashed.map((each) => each.entity_id)) });
    }
  }
}

function requireSeries(what: string, rows: readonly Row[]): void {
  const byId = new Map(rows.map((row) => [row.id, row]));
  const open = rows.filter((row) => row.recurrence !== null && !row.completed);
  const series = open.map(({ recurrence }) => recurrence?.seriesId);
  if (new Set(series).size < series.length) throw new Error(`${what} left two open occurrences: ${series.join()}`);
  for (const row of open) {
    for (let above = byId.get(row.parent_id ?? ''); above; above = byId.get(above.parent_id ?? '')) {
      if (open.includes(above)) throw new Error(`${what} left ${row.id} below ${above.id}, and both repeat`);
    }
  }
  for (const { id, recurrence } of rows) {
    if (!recurrence) continue;
    const { rule, basis, start, date, number } = recurrence;
    // After completions, dates do not follow from the start.
    if (basis === 'COMPLETION' || number === 1) continue;
    const first = { ...recurrence, date: start, number: 1 };
    for (const each of occurrencesAfter(first)) {
      if (each.number < number) continue;
      if (each.date !== date && date > each.date)
        throw new Error(`${what}: ${id} has another date than number ${number} of ${rule}: ${date}`);
      break;
    }
  }
}

/** A completion makes the next occurrence, by the client's rule of ids. */
function requireIds(
  what: string,
  { before, after, trashed }: { before: readonly Row[]; after: readonly Row[]; trashed: ReadonlySet<string> },
): void {
  const [was, is] = [before, after].map((rows) => new Map(rows.map((row) => [row.id, row]))) as [
    Map<string, Row>,
    Map<string, Row>,
  ];
  for (const { id, completed, completed_at: completedAt, recurrence } of after) {
    if (!completed || was.get(id)?.completed !== false || !recurrence) continue;
    const made = after.filter((row) => !was.has(row.id) && row.recurrence?.seriesId === recurrence.seriesId);
    if (made.length > 1) throw new Error(`${what} made several occurrences after ${id} at ${completedAt}`);
    const [next] = made;
    const isFree = !was.has(nextIdOf(id)) && !trashed.has(nextIdOf(id));
    if (next && isFree && next.id !== nextIdOf(id)) throw new Error(`${what} made ${next.id}, not ${nextIdOf(id)}`);
    if (next && !is.has(next.id)) throw new Error(`${what} lost ${next.id}`);
    if (next && next.due_date !== formatDate(new Date(next.recurrence?.date ?? ''))) {
      throw new Error(`${what} made ${next.id}, which is due on ${next.due_date}`);
    }
  }
}

export const runRandomly = async (service: () => Service, { runs, actions }: { runs: number; actions: number }) => {
  const done = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: actions >> 1, maxLength: actions, size: 'max' }), async (chosen) => {
      const world = await SeriesWorld.make(service());
      for (const each of chosen) await world.run(each);
      for (const [name, count] of world.done) done.set(name, (done.get(name) ?? 0) + count);
    }),
    { numRuns: runs, includeErrorInReport: true, interruptAfterTimeLimit: Math.max(90_000, 2500 * runs) },
  );
  return done;
};
