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
  precedingId?: string;
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
  mustFail?: true;
}

export interface WriteContext {
  person: Person;
  rows: ReadonlyMap<string, Row>;
  random: () => number;
  /** Unique among all writes. */
  mark: string;
  number: number;
}

const priorities = ['low', 'medium', 'high'];
/** An invalid date. */
const invalidDate = '2026-02-30';

const pick = <Item>(items: readonly Item[], random: () => number): Item | undefined =>
  items[Math.floor(random() * items.length)];

/** A date that only this write uses. */
const dayOf = (number: number) => new Date(Date.UTC(2030, 0, 1 + number)).toISOString().slice(0, 10);

/** Values that differ between writes. */
const newFields = ({ person, random, mark, number }: WriteContext) => ({
  title: mark,
  priority: pick(priorities, random) ?? 'low',
  dueDate: dayOf(number),
  color: `#${(number % 0x1000000).toString(16).padStart(6, '0')}`,
  tags: random() < 0.5 ? [] : [...person.tags].sort(),
});

type Fields = ReturnType<typeof newFields>;

const toInput = <Input extends Partial<Fields>>({ tags, priority, ...otherFields }: Input) => ({
  ...otherFields,
  ...(priority !== undefined && { priority: priority.toUpperCase() }),
  ...(tags && { tagIds: tags }),
});

const noRows: ReadonlyMap<string, Row> = new Map();
const idSelection = ' { id }';

function create(context: WriteContext, isGraphql: boolean): Write {
  const { person, random, mark, rows } = context;
  const fields = newFields(context);
  const parent =
    random() < 0.4
      ? pick(
          [...rows].filter(([, row]) => row.parentId === null),
          random,
        )
      : undefined;
  const projectId = parent ? parent[1].projectId : (pick(person.projects, random) ?? null);
  const input = {
    ...fields,
    description: mark,
    ...(parent ? { parentId: parent[0] } : projectId !== null && { projectId }),
  };
  return {
    request: isGraphql
      ? graphql('createTask', '$input: CreateTaskInput!', { input: toInput(input) }, idSelection)
      : rest('POST', '/api/v2/todo', input),
    before: noRows,
    after: noRows,
    created: { ...fields, mark, completed: false, projectId, parentId: parent?.[0] ?? null },
  };
}

/** Fails late, after other steps of the creation. */
function invalidCreate(context: WriteContext, isGraphql: boolean): Write {
  const { tags, ...input } = { ...newFields(context), description: context.mark };
  const foreign = 'tag_01h455vb4pex5vsknk084sn02q';
  return {
    request: isGraphql
      ? graphql(
          'createTask',
          '$input: CreateTaskInput!',
          { input: toInput({ ...input, tags: [...tags, foreign] }) },
          idSelection,
        )
      : rest('POST', '/api/v2/todo', { ...input, tags, dueDate: invalidDate }),
    before: noRows,
    after: noRows,
    mustFail: true,
  };
}

const treeOf = (id: string, rows: ReadonlyMap<string, Row>) =>
  new Map([...rows].filter(([each, row]) => each === id || row.parentId === id));

/** The service chooses the positions of moved tasks. */
const moveTree = (tree: ReadonlyMap<string, Row>, projectId: string | null) =>
  new Map([...tree].map(([id, row]) => [id, { ...row, projectId, precedingId: undefined }]));

function update(context: WriteContext, isGraphql: boolean): Write | undefined {
  const [id, row] = pick([...context.rows], context.random) ?? [];
  if (id === undefined || row === undefined) return undefined;
  const input = { ...newFields(context), completed: context.random() < 0.5 };
  return {
    request: isGraphql
      ? graphql('updateTask', '$id: ID!, $input: UpdateTaskInput!', { id, input: toInput(input) }, idSelection)
      : rest('PATCH', `/api/v2/todo/${id}`, input),
    before: new Map([[id, row]]),
    after: new Map([[id, { ...row, ...input }]]),
  };
}

/** Moves a task to another project, with its subtasks and a new title. */
function move(context: WriteContext, isGraphql: boolean): Write | undefined {
  const { person, rows, random, mark: title } = context;
  const [id] =
    pick(
      [...rows].filter(([, row]) => row.parentId === null),
      random,
    ) ?? [];
  if (id === undefined) return undefined;
  const projectId = pick(person.projects, random) ?? null;
  const before = treeOf(id, rows);
  const after = moveTree(before, projectId);
  const root = after.get(id);
  if (root) after.set(id, { ...root, title });
  const input = { projectId, title };
  return {
    request: isGraphql
      ? graphql('updateTask', '$id: ID!, $input: UpdateTaskInput!', { id, input }, idSelection)
      : rest('PATCH', `/api/v2/todo/${id}`, input),
    before,
    after,
  };
}

/** Moves a task behind a sibling. Others may come between. */
function reorder({ rows, random }: WriteContext): Write | undefined {
  const [id, row] = pick([...rows], random) ?? [];
  if (id === undefined || row === undefined) return undefined;
  const isSibling = ([each, { parentId, projectId }]: [string, Row]) =>
    each !== id && parentId === row.parentId && projectId === row.projectId;
  const [precedingId] = pick([...rows].filter(isSibling), random) ?? [];
  if (precedingId === undefined) return undefined;
  return {
    request: graphql('moveTask', '$id: ID!, $after: ID!', { id, after: precedingId }, idSelection),
    before: new Map([[id, row]]),
    after: new Map([[id, { ...row, precedingId }]]),
  };
}

function pickTrees({ rows, random }: WriteContext): { ids: string[]; trees: Map<string, Row> } {
  const roots = [...rows].filter(([, row]) => row.parentId === null).map(([id]) => id);
  const ids = roots.filter(() => random() < 0.3);
  return { ids, trees: new Map(ids.flatMap((id) => [...treeOf(id, rows)])) };
}

function bulkUpdate(context: WriteContext, isGraphql: boolean): Write | undefined {
  const { ids, trees } = pickTrees(context);
  if (ids.length < 2) return undefined;
  const { priority, dueDate, tags } = newFields(context);
  const input = { priority, dueDate, tags, completed: context.random() < 0.5 };
  const projectId = context.random() < 0.3 ? (pick(context.person.projects, context.random) ?? null) : undefined;
  const after = projectId === undefined ? new Map(trees) : moveTree(trees, projectId);
  for (const id of ids) {
    const row = after.get(id);
    if (row) after.set(id, { ...row, ...input });
  }
  const body = { ...input, ...(projectId !== undefined && { projectId }) };
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

function remove(context: WriteContext, isGraphql: boolean): Write | undefined {
  const [id] = pick([...context.rows], context.random) ?? [];
  if (id === undefined) return undefined;
  const before = treeOf(id, context.rows);
  return {
    request: isGraphql ? graphql('deleteTask', '$id: ID!', { id }) : rest('DELETE', `/api/v2/todo/${id}`),
    before,
    after: new Map([...before.keys()].map((each) => [each, null])),
  };
}

function bulkRemove(context: WriteContext, isGraphql: boolean): Write | undefined {
  const { ids, trees } = pickTrees(context);
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
const kinds: readonly [number, (context: WriteContext, isGraphql: boolean) => Write | undefined][] = [
  [30, create],
  [5, invalidCreate],
  [25, update],
  [12, move],
  [8, reorder],
  [10, bulkUpdate],
  [7, remove],
  [3, bulkRemove],
];

/** Number of tasks above which the writer deletes some, because lists are read often. */
const maxRows = 40;

export function nextWrite(context: WriteContext): Write {
  const { rows, random } = context;
  const isGraphql = random() < 0.5;
  if (rows.size > maxRows) return bulkRemove(context, isGraphql) ?? create(context, isGraphql);
  let remainder = random() * 100;
  const [, kind] = kinds.find(([share]) => (remainder -= share) < 0) ?? [];
  return kind?.(context, isGraphql) ?? create(context, isGraphql);
}
