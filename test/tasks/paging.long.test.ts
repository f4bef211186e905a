import { beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { makeProject, makeTag, makeWorkspace } from '../kit/make.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { signUp, type User } from '../kit/users.ts';

let service: Service;
let anna: User;

interface Row {
  id: string;
  projectId: string;
  title: string;
  sortKey: string;
  priority: string | null;
  dueDate: string | null;
  createdAt: string;
  updatedAt: string;
  completedAt: string | null;
  isTagged: boolean;
}

let places: [Place, Place];
interface Place {
  spaceId: string;
  projectId: string;
}

let tagId: string;

beforeAll(async () => {
  service = await sharedService();
  anna = await signUp(service);
  const workspace = await makeWorkspace(anna);
  const [own, shared] = [await makeProject(anna), await makeProject(anna, { workspaceId: workspace.id })];
  ({ id: tagId } = await makeTag(anna));
  places = [
    { spaceId: anna.id, projectId: own.id },
    { spaceId: workspace.id, projectId: shared.id },
  ];
});

const day = fc.constantFrom('2026-01-01', '2026-01-02', '2026-01-03');
const moment = day.map((date) => `${date}T00:00:00.000Z`);
const taskRow = fc.record({
  title: fc.constantFrom('apple', 'Apple', 'Äpfel', 'apple pie', 'banana', 'Zebra', '10', '9', '\u{1F600}'),
  sortKey: fc.constantFrom('a', 'B', ' ', '~', 'a0'),
  priority: fc.option(fc.constantFrom('LOW', 'MEDIUM', 'HIGH')),
  dueDate: fc.option(day),
  createdAt: moment,
  updatedAt: moment,
  completedAt: fc.option(moment),
  place: fc.constantFrom(0, 1),
  isTagged: fc.boolean(),
});
const taskRows = fc.array(taskRow, { maxLength: 14 });

/** The column of each order, its comparison, and its default direction. */
const orders = {
  SORT_KEY: ['sortKey', bytewise, 'ASC'],
  DUE_DATE: ['dueDate', bytewise, 'ASC'],
  CREATED_AT: ['createdAt', bytewise, 'DESC'],
  COMPLETED_AT: ['completedAt', bytewise, 'DESC'],
  UPDATED_AT: ['updatedAt', bytewise, 'DESC'],
  PRIORITY: ['priority', (a, b) => ranks.indexOf(a) - ranks.indexOf(b), 'DESC'],
  TITLE: ['title', (a, b) => alphabet.compare(a, b), 'ASC'],
} as const satisfies Record<string, [keyof Row, (a: string, b: string) => number, 'ASC' | 'DESC']>;

function bytewise(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
const ranks = ['LOW', 'MEDIUM', 'HIGH'];
const alphabet = new Intl.Collator('und');

const order = fc.record({
  orderBy: fc.constantFrom(...(Object.keys(orders) as (keyof typeof orders)[])),
  direction: fc.constantFrom('ASC', 'DESC', null),
});
type Order = typeof order extends fc.Arbitrary<infer Value> ? Value : never;

/** Filters with their predicates. 0 and 1 are the projects of `places`. */
const filters: [filter: () => object, (row: Row) => boolean][] = [
  [() => ({}), () => true],
  [() => ({ completed: false }), ({ completedAt }) => completedAt === null],
  [() => ({ hasDueDate: true }), ({ dueDate }) => dueDate !== null],
  [() => ({ hasDueDate: false }), ({ dueDate }) => dueDate === null],
  [() => ({ dueAfter: '2026-01-01', priority: ['LOW', 'HIGH'] }), (row) => isAfterFirst(row.dueDate) && isExtreme(row)],
  [() => ({ updatedAfter: '2026-01-01T00:00:00.000Z' }), ({ updatedAt }) => isAfterFirst(updatedAt)],
  [() => ({ projectIds: [places[1].projectId] }), ({ projectId }) => projectId === places[1].projectId],
];
const isAfterFirst = (at: string | null) => at !== null && at.slice(0, 10) > '2026-01-01';
const isExtreme = ({ priority }: Row) => priority === 'LOW' || priority === 'HIGH';
const filter = fc.constantFrom(...filters);

type TaskInputs = typeof taskRow extends fc.Arbitrary<infer Value> ? Value : never;

async function insertTasks(inputs: TaskInputs[]): Promise<Row[]> {
  await service.sql('DELETE FROM tasks; DELETE FROM trash');
  const rows = inputs.map(({ place, ...row }, index) => ({
    ...row,
    ...places[place],
    // Ids in another order than the rows.
    id: `task_01h2xcejqtf2nbrexx3vqjhp${String((index * 7) % 32).padStart(2, '0')}`,
  }));
  await service.sql(
    `INSERT INTO tasks (id, space_id, project_id, title, sort_key, priority, due_date, created_at, updated_at, completed,
       completed_at)
     SELECT id, "spaceId", "projectId", title, "sortKey", priority, "dueDate", "createdAt", "updatedAt",
       "completedAt" IS NOT NULL, "completedAt"
     FROM json_to_recordset($1) AS row (id text, "spaceId" text, "projectId" text, title text, "sortKey" text,
       priority "Priority", "dueDate" date, "createdAt" timestamptz, "updatedAt" timestamptz, "completedAt" timestamptz)`,
    [JSON.stringify(rows)],
  );
  const taggedIds = rows.filter(({ isTagged }) => isTagged).map(({ id }) => id);
  await service.sql('INSERT INTO task_tags (task_id, tag_id, space_id) SELECT unnest($1::text[]), $2, $3', [
    taggedIds,
    tagId,
    anna.id,
  ]);
  return rows;
}

/** The documented order: nulls last, ties by id in the same direction. */
function sorted(rows: Row[], { orderBy, direction }: Order): string[] {
  const [column, compare, usual] = orders[orderBy];
  const sign = (direction ?? usual) === 'ASC' ? 1 : -1;
  return rows
    .toSorted((a, b) => {
      const [left, right] = [a[column], b[column]];
      const idOrder = bytewise(a.id, b.id) * sign;
      if (left === null || right === null) return Number(left === null) - Number(right === null) || idOrder;
      // Characters decide between equal texts of a collation.
      return (compare(left, right) || bytewise(left, right)) * sign || idOrder;
    })
    .map(({ id }) => id);
}

interface Page {
  nodes: { id: string }[];
  totalCount: number;
  pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string | null; endCursor: string | null };
}

interface List {
  owner?: () => string;
  has: (row: Row) => boolean;
}

const lists: Record<string, List> = {
  'Query.tasks': { has: () => true },
  'Project.tasks': {
    owner: () => `project(id: "${places[0].projectId}")`,
    has: ({ projectId }) => projectId === places[0].projectId,
  },
  'Tag.tasks': { owner: () => `tag(id: "${tagId}")`, has: ({ isTagged }) => isTagged },
};

function queryOf({ owner }: List): string {
  const tasks = `tasks(
    filter: $filter, orderBy: $orderBy, direction: $direction, first: $first, after: $after, last: $last, before: $before
  ) {
    nodes { id }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    totalCount
  }`;
  return `query (
    $filter: TaskFilter, $orderBy: TaskOrder, $direction: Direction, $first: Int, $after: String, $last: Int, $before: String
  ) { ${owner ? `owner: ${owner()} { ${tasks} }` : tasks} }`;
}

/**
 * Reads the list by pages. Calls `between` after each with the ids. @returns the ids, and the count on the first page
 */
async function readAll(
  list: List,
  args: object,
  sizes: number[],
  backwards: boolean,
  between: (read: string[]) => Promise<unknown> = () => Promise.resolve(),
): Promise<{ ids: string[]; total: number }> {
  let read: string[] = [];
  let total = 0;
  let cursor: string | null = null;
  for (let page = 0; page <= 40; page += 1) {
    const size = sizes[page % sizes.length];
    const variables: object = backwards ? { last: size, before: cursor } : { first: size, after: cursor };
    const data = await anna.data<{ tasks: Page; owner?: { tasks: Page } }>(queryOf(list), { ...args, ...variables });
    const { tasks } = data.owner ?? data;
    const ids = tasks.nodes.map(({ id }) => id);
    read = backwards ? [...ids, ...read] : [...read, ...ids];
    const { hasNextPage, hasPreviousPage, startCursor, endCursor } = tasks.pageInfo;
    if (page === 0) total = tasks.totalCount;
    if (!(backwards ? hasPreviousPage : hasNextPage)) return { ids: read, total };
    cursor = backwards ? startCursor : endCursor;
    await between(read);
  }
  throw new Error('the list has no end');
}

const sizes = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 3 });

describe.each(Object.entries(lists))('paging through %s', (_name, list) => {
  test('returns every task once, in order, both ways, for any filter, order, direction and page size', async () => {
    await fc.assert(
      fc.asyncProperty(taskRows, filter, order, sizes, async (inputs, [narrowedFilter, matches], by, pageSizes) => {
        const rows = (await insertTasks(inputs)).filter((row) => list.has(row) && matches(row));
        const expected = { ids: sorted(rows, by), total: rows.length };
        for (const backwards of [false, true]) {
          expect(await readAll(list, { filter: narrowedFilter(), ...by }, pageSizes, backwards)).toEqual(expected);
        }
      }),
      { numRuns: 12 },
    );
  });

  test('continues at its place while tasks that were read are deleted', async () => {
    await fc.assert(
      fc.asyncProperty(taskRows, order, sizes, fc.boolean(), async (inputs, by, pageSizes, backwards) => {
        const rows = (await insertTasks(inputs)).filter(list.has);
        const expected = { ids: sorted(rows, by), total: rows.length };
        const forget = (read: string[]) => service.sql('DELETE FROM tasks WHERE id = ANY ($1)', [read]);
        expect(await readAll(list, by, pageSizes, backwards, forget)).toEqual(expected);
      }),
      { numRuns: 25 },
    );
  });
});
