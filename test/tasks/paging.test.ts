import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { makeProject, makeWorkspace } from '../kit/make.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp, type User } from '../kit/users.ts';

let service: Service;
let anna: User;

interface Row {
  id: string;
  sortKey: string;
  dueDate: string | null;
  createdAt: string;
  completedAt: string | null;
}

/** The spaces that the tasks are spread over, each with a project: pages go across them. */
let places: { spaceId: string; projectId: string }[];

beforeAll(async () => {
  service = await startService();
  anna = await signUp(service);
  const workspace = await makeWorkspace(anna);
  const [own, shared] = [await makeProject(anna), await makeProject(anna, { workspaceId: workspace.id })];
  places = [
    { spaceId: anna.id, projectId: own.id },
    { spaceId: workspace.id, projectId: shared.id },
  ];
});
afterAll(() => service.close());

const day = fc.constantFrom('2026-01-01', '2026-01-02', '2026-01-03');
const moment = day.map((date) => `${date}T00:00:00.000Z`);
const taskRow = fc.record({
  sortKey: fc.constantFrom('a', 'B', ' ', '~', 'a0'),
  dueDate: fc.option(day),
  createdAt: moment,
  completedAt: fc.option(moment),
  place: fc.nat({ max: 1 }),
});
const taskRows = fc.array(taskRow, { maxLength: 14 });
const order = fc.constantFrom('SORT_KEY', 'DUE_DATE', 'CREATED_AT', 'COMPLETED_AT');

type Order = 'SORT_KEY' | 'DUE_DATE' | 'CREATED_AT' | 'COMPLETED_AT';
type Given = typeof taskRow extends fc.Arbitrary<infer Value> ? Value : never;

/** Puts these tasks, and no others, into the database. */
async function fill(given: Given[]): Promise<Row[]> {
  await service.sql('DELETE FROM tasks');
  const rows = given.map(({ place, ...row }, index) => ({
    ...row,
    ...places[place],
    // Ids in another order than the rows.
    id: `task_01h2xcejqtf2nbrexx3vqjhp${String((index * 7) % 32).padStart(2, '0')}`,
  }));
  await service.sql(
    `INSERT INTO tasks (id, space_id, project_id, title, sort_key, due_date, created_at, completed, completed_at)
     SELECT id, "spaceId", "projectId", 'x', "sortKey", "dueDate", "createdAt", "completedAt" IS NOT NULL, "completedAt"
     FROM json_to_recordset($1) AS row (id text, "spaceId" text, "projectId" text, "sortKey" text, "dueDate" date,
       "createdAt" timestamptz, "completedAt" timestamptz)`,
    [JSON.stringify(rows)],
  );
  return rows;
}

/** The order as the schema describes it; nulls last, ties by id in the same direction. */
function sorted(rows: Row[], by: Order): string[] {
  const [column, descending] = (
    {
      SORT_KEY: ['sortKey', false],
      DUE_DATE: ['dueDate', false],
      CREATED_AT: ['createdAt', true],
      COMPLETED_AT: ['completedAt', true],
    } as const
  )[by];
  const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0) * (descending ? -1 : 1);
  return rows
    .toSorted((a, b) => {
      const [left, right] = [a[column], b[column]];
      if (left === null || right === null) return Number(left === null) - Number(right === null) || compare(a.id, b.id);
      return compare(left, right) || compare(a.id, b.id);
    })
    .map(({ id }) => id);
}

interface Page {
  nodes: { id: string }[];
  pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string | null; endCursor: string | null };
}

const query = `query ($orderBy: TaskOrder, $first: Int, $after: String, $last: Int, $before: String) {
  tasks(orderBy: $orderBy, first: $first, after: $after, last: $last, before: $before) {
    nodes { id }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  }
}`;

/** Reads the whole list, page by page. `between` is done after each page with the ids read so far. */
async function readAll(
  orderBy: Order,
  sizes: number[],
  backwards: boolean,
  between: (read: string[]) => Promise<unknown> = () => Promise.resolve(),
): Promise<string[]> {
  let read: string[] = [];
  let cursor: string | null = null;
  for (let page = 0; page <= 40; page += 1) {
    const size = sizes[page % sizes.length];
    const variables: object = backwards ? { last: size, before: cursor } : { first: size, after: cursor };
    const { tasks } = await anna.data<{ tasks: Page }>(query, { orderBy, ...variables });
    const ids = tasks.nodes.map(({ id }) => id);
    read = backwards ? [...ids, ...read] : [...read, ...ids];
    const { hasNextPage, hasPreviousPage, startCursor, endCursor } = tasks.pageInfo;
    if (!(backwards ? hasPreviousPage : hasNextPage)) return read;
    cursor = backwards ? startCursor : endCursor;
    await between(read);
  }
  throw new Error('the list has no end');
}

const sizes = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 3 });

describe('paging through tasks', () => {
  test('gives every task once, in order, in both directions, whatever the order and the size of pages', async () => {
    await fc.assert(
      fc.asyncProperty(taskRows, order, sizes, async (given, by, pageSizes) => {
        const expected = sorted(await fill(given), by);
        expect(await readAll(by, pageSizes, false)).toEqual(expected);
        expect(await readAll(by, pageSizes, true)).toEqual(expected);
      }),
      { numRuns: 25 },
    );
  });

  test('goes on where it was while tasks that have been read are deleted', async () => {
    await fc.assert(
      fc.asyncProperty(taskRows, order, sizes, fc.boolean(), async (given, by, pageSizes, backwards) => {
        const expected = sorted(await fill(given), by);
        const forget = (read: string[]) => service.sql('DELETE FROM tasks WHERE id = ANY ($1)', [read]);
        expect(await readAll(by, pageSizes, backwards, forget)).toEqual(expected);
      }),
      { numRuns: 25 },
    );
  });
});
