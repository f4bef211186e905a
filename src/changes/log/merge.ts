import { compareRows, type Place } from './cursor.ts';
import { groupBy } from '../../kernel/group.ts';
import type { LogRow } from './data.ts';

/** What a transaction did to a task, as one reader sees it. */
export interface Change {
  kind: 'CREATED' | 'UPDATED' | 'DELETED';
  taskId: string;
  /** Names of the changed fields of the GraphQL type; empty unless it is an update. */
  fields: string[];
  at: Date;
  /** The transaction as the history names it. */
  operationId: string;
  /** Orders the changes of a transaction and names this one in a cursor. */
  row: Place;
  /** Space in which the task was when the log was read; null: it was gone by then. */
  presentSpace: string | null;
}

/**
 * Merges the rows of one transaction into one change for each task, as a reader sees it whose spaces the rows are of.
 * @param rows of one transaction, in the order of their revisions within each space
 * @param projectId where given, tasks outside of this project do not exist for the reader
 */
export function mergeRows(rows: readonly LogRow[], projectId: string | null): Change[] {
  const byTask = groupBy(rows, ({ taskId }) => taskId);
  const changes = [...byTask.values()].map((own) => mergeTask(own, projectId));
  return changes.filter((change) => change !== undefined).sort((a, b) => compareRows(a.row, b.row));
}

function mergeTask(rows: LogRow[], projectId: string | null): Change | undefined {
  const [first] = rows;
  if (!first) return undefined;
  const { before, after } = lifeOf(rows);
  const was = before.exists && (projectId === null || before.projectId === projectId);
  const is = after.exists && (projectId === null || after.projectId === projectId);
  if (!was && !is) return undefined;
  const kind = was && is ? 'UPDATED' : is ? 'CREATED' : 'DELETED';
  return {
    kind,
    taskId: first.taskId,
    fields: kind === 'UPDATED' ? [...new Set(rows.flatMap((row) => row.fields))] : [],
    operationId: first.operationId,
    at: new Date(Math.max(...rows.map((row) => row.at))),
    row: rows.map(placeOf).reduce((least, key) => (compareRows(key, least) < 0 ? key : least)),
    presentSpace: first.presentSpace,
  };
}

interface State {
  exists: boolean;
  projectId: string | undefined;
}

/**
 * Whether and in which project the task was for the reader before the transaction and after it. A task
 * that moves is deleted in one space and created in another, maybe there and back: so the first such row of each space has the state
 * before, the last one the state after.
 */
function lifeOf(rows: LogRow[]): { before: State; after: State } {
  const before: State = { exists: false, projectId: undefined };
  const after: State = { exists: false, projectId: undefined };
  const spaces = groupBy(rows, ({ spaceId }) => spaceId);
  const lives = [...spaces.values()].filter((own) => own.some(({ kind }) => kind !== 'UPDATED'));
  for (const own of lives) {
    const turns = own.filter(({ kind }) => kind !== 'UPDATED');
    if (turns[0]?.kind === 'DELETED') Object.assign(before, { exists: true, projectId: firstProject(own) });
    if (turns.at(-1)?.kind === 'CREATED') Object.assign(after, { exists: true, projectId: own.at(-1)?.projectId });
  }
  if (lives.length > 0) return { before, after };
  // It stayed where it is. The tags of a shared task are logged in their owner's space, all else in the task's own.
  const own = [...spaces.values()].find((of) => !of.every(isOfTags)) ?? rows;
  return {
    before: { exists: true, projectId: firstProject(own) },
    after: { exists: true, projectId: own.at(-1)?.projectId },
  };
}

const firstProject = ([first]: LogRow[]) => first?.previousProjectId ?? first?.projectId;
const isOfTags = ({ fields }: LogRow) => fields.length === 1 && fields[0] === 'tags';
const placeOf = ({ spaceId, revision, historyNonce }: LogRow): Place => ({ space: spaceId, revision, historyNonce });
