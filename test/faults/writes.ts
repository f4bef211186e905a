import type { Person } from '../soak/people.ts';
import { graphql, type Request, rest } from '../soak/requests.ts';

/** The expected state of a task. */
export interface Row {
  /** Description, set at creation and never changed. Identifies the write that created the task. */
  mark: string;
  title: string;
  priority: string;
  dueDate: string;
  completed: boolean;
  color: string | null;
  /** Sorted ids of tags. */
  tags: string[];
  /** Null is the inbox. */
  projectId: string | null;
  parentId: string | null;
  /** Id of a preceding sibling. Valid until one of the two is moved. */
  behind?: string;
}

/** Changes several fields or tasks, which makes partial effects visible. */
export interface Write {
  request: Request;
  /** Affected tasks before the write. */
  before: ReadonlyMap<string, Row>;
  /** Affected tasks after the write. Null if deleted. */
  after: ReadonlyMap<string, Row | null>;
  created?: Row;
  /** It must be refused, without any effect. */
  refused?: true;
}

export interface Choice {
  person: Person;
  rows: ReadonlyMap<string, Row>;
  random: () => number;
  /** Unique among all writes. */
  mark: string;
  number: number;
}

const priorities = ['low', 'medium', 'high'];
/** An invalid date. */
const noDay = '2026-02-30';

const pick = <Item>(items: readonly Item[], random: () => number): Item | undefined =>
  items[Math.floor(random() * items.length)];

/** A date that only this write uses. */
const dayOf = (number: number) => new Date(Date.UTC(2030, 0, 1 + number)).toISOString().slice(0, 10);

/** Values that differ between writes. */
const newFields = ({ person, random, mark, number }: Choice) => ({
  title: mark,
  priority: pick(priorities, random) ?? 'low',
  dueDate: dayOf(number),
  color: `#${(number % 0x1000000).toString(16).padStart(6, '0')}`,
  tags: random() < 0.5 ? [] : [...person.tags].sort(),
});

type Fields = ReturnType<typeof newFields>;

const toInput = <Given extends Partial<Fields>>({ tags, priority, ...same }: Given) => ({
  ...same,
  ...(priority !== undefined && { priority: priority.toUpperCase() }),
  ...(tags && { tagIds: tags }),
});

const none: ReadonlyMap<string, Row> = new Map();
const shown = ' { id }';

function create(choice: Choice, isGraphql: boolean): Write {
  const { person, random, mark, rows } = choice;
  const fields = newFields(choice);
  const parent =
    random() < 0.4
      ? pick(
          [...rows].filter(([, row]) => row.parentId === null),
          random,
        )
      : undefined;
  const projectId = parent ? parent[1].projectId : (pick(person.projects, random) ?? null);
  const given = {
    ...fields,
    description: mark,
    ...(parent ? { parentId: parent[0] } : projectId !== null && { projectId }),
  };
  return {
    request: isGraphql
      ? graphql('createTask', '$input: CreateTaskInput!', { input: toInput(given) }, shown)
      : rest('POST', '/api/v2/todo', given),
    before: none,
    after: none,
    created: { ...fields, mark, completed: false, projectId, parentId: parent?.[0] ?? null },
  };
}

/** Fails late, after other steps of the creation. */
function refusedCreate(choice: Choice, isGraphql: boolean): Write {
  const { tags, ...given } = { ...newFields(choice), description: choice.mark };
  const foreign = 'tag_01h455vb4pex5vsknk084sn02q';
  return {
    request: isGraphql
      ? graphql(
          'createTask',
          '$input: CreateTaskInput!',
          { input: toInput({ ...given, tags: [...tags, foreign] }) },
          shown,
        )
      : rest('POST', '/api/v2/todo', { ...given, tags, dueDate: noDay }),
    before: none,
    after: none,
    refused: true,
  };
}

const treeOf = (id: string, rows: ReadonlyMap<string, Row>) =>
  new Map([...rows].filter(([each, row]) => each === id || row.parentId === id));

/** The service chooses the positions of moved tasks. */
const moved = (tree: ReadonlyMap<string, Row>, projectId: string | null) =>
  new Map([...tree].map(([id, row]) => [id, { ...row, projectId, behind: undefined }]));

function update(choice: Choice, isGraphql: boolean): Write | undefined {
  const [id, row] = pick([...choice.rows], choice.random) ?? [];
  if (id === undefined || row === undefined) return undefined;
  const given = { ...newFields(choice), completed: choice.random() < 0.5 };
  return {
    request: isGraphql
      ? graphql('updateTask', '$id: ID!, $input: UpdateTaskInput!', { id, input: toInput(given) }, shown)
      : rest('PATCH', `/api/v2/todo/${id}`, given),
    before: new Map([[id, row]]),
    after: new Map([[id, { ...row, ...given }]]),
  };
}

/** Moves a task to another project, with its subtasks and a new title. */
function move(choice: Choice, isGraphql: boolean): Write | undefined {
  const { person, rows, random, mark: title } = choice;
  const [id] =
    pick(
      [...rows].filter(([, row]) => row.parentId === null),
      random,
    ) ?? [];
  if (id === undefined) return undefined;
  const projectId = pick(person.projects, random) ?? null;
  const before = treeOf(id, rows);
  const after = moved(before, projectId);
  const root = after.get(id);
  if (root) after.set(id, { ...root, title });
  const given = { projectId, title };
  return {
    request: isGraphql
      ? graphql('updateTask', '$id: ID!, $input: UpdateTaskInput!', { id, input: given }, shown)
      : rest('PATCH', `/api/v2/todo/${id}`, given),
    before,
    after,
  };
}

/** Moves a task behind a sibling. Others may come between. */
function place({ rows, random }: Choice): Write | undefined {
  const [id, row] = pick([...rows], random) ?? [];
  if (id === undefined || row === undefined) return undefined;
  const isSibling = ([each, { parentId, projectId }]: [string, Row]) =>
    each !== id && parentId === row.parentId && projectId === row.projectId;
  const [behind] = pick([...rows].filter(isSibling), random) ?? [];
  if (behind === undefined) return undefined;
  return {
    request: graphql('moveTask', '$id: ID!, $after: ID!', { id, after: behind }, shown),
    before: new Map([[id, row]]),
    after: new Map([[id, { ...row, behind }]]),
  };
}

function someTrees({ rows, random }: Choice): { ids: string[]; trees: Map<string, Row> } {
  const roots = [...rows].filter(([, row]) => row.parentId === null).map(([id]) => id);
  const ids = roots.filter(() => random() < 0.3);
  return { ids, trees: new Map(ids.flatMap((id) => [...treeOf(id, rows)])) };
}

function bulkUpdate(choice: Choice, isGraphql: boolean): Write | undefined {
  const { ids, trees } = someTrees(choice);
  if (ids.length < 2) return undefined;
  const { priority, dueDate, tags } = newFields(choice);
  const given = { priority, dueDate, tags, completed: choice.random() < 0.5 };
  const projectId = choice.random() < 0.3 ? (pick(choice.person.projects, choice.random) ?? null) : undefined;
  const after = projectId === undefined ? new Map(trees) : moved(trees, projectId);
  for (const id of ids) {
    const row = after.get(id);
    if (row) after.set(id, { ...row, ...given });
  }
  const body = { ...given, ...(projectId !== undefined && { projectId }) };
  return {
    request: isGraphql
      ? graphql(
          'updateTasks',
          '$ids: [ID!]!, $input: BulkUpdateTasksInput!',
          { ids, input: toInput(body) },
          ' { count }',
        )
      : rest('PATCH', `/api/v2/todo/bulk?todoIds=${ids.join()}`, body),
    before: trees,
    after,
  };
}

function remove(choice: Choice, isGraphql: boolean): Write | undefined {
  const [id] = pick([...choice.rows], choice.random) ?? [];
  if (id === undefined) return undefined;
  const before = treeOf(id, choice.rows);
  return {
    request: isGraphql ? graphql('deleteTask', '$id: ID!', { id }) : rest('DELETE', `/api/v2/todo/${id}`),
    before,
    after: new Map([...before.keys()].map((each) => [each, null])),
  };
}

function bulkRemove(choice: Choice, isGraphql: boolean): Write | undefined {
  const { ids, trees } = someTrees(choice);
  if (ids.length < 2) return undefined;
  return {
    request: isGraphql
      ? graphql('deleteTasks', '$ids: [ID!]!', { ids }, ' { count }')
      : rest('DELETE', `/api/v2/todo/bulk?todoIds=${ids.join()}`),
    before: trees,
    after: new Map([...trees.keys()].map((each) => [each, null])),
  };
}

/** Kinds of writes with their frequency in percent. */
const kinds: readonly [number, (choice: Choice, isGraphql: boolean) => Write | undefined][] = [
  [30, create],
  [5, refusedCreate],
  [25, update],
  [12, move],
  [8, place],
  [10, bulkUpdate],
  [7, remove],
  [3, bulkRemove],
];

/** Number of tasks above which the writer deletes some, because lists are read often. */
const manyRows = 40;

export function nextWrite(choice: Choice): Write {
  const { rows, random } = choice;
  const isGraphql = random() < 0.5;
  if (rows.size > manyRows) return bulkRemove(choice, isGraphql) ?? create(choice, isGraphql);
  let left = random() * 100;
  const [, kind] = kinds.find(([share]) => (left -= share) < 0) ?? [];
  return kind?.(choice, isGraphql) ?? create(choice, isGraphql);
}
