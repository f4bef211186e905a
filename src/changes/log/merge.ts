import { groupBy } from '@taskgate/base';
import { comparePoints, type SpacePoint } from './cursor.ts';
import type { LogRow } from './data.ts';

/** Effect of a transaction on a task, for one reader. */
export interface Change {
  kind: 'CREATED' | 'UPDATED' | 'DELETED';
  taskId: string;
  /** Empty unless the entity was updated. */
  fields: string[];
  at: Date;
  operationId: string;
  /** Position in a cursor. */
  point: SpacePoint;
  presentSpace: string | null;
}

/**
 * Returns one change per task.
 * @param rows of one transaction and the reader's spaces, by revision in each
 * @param projectId hides other tasks
 */
export function mergeRows(rows: readonly LogRow[], projectId: string | null): Change[] {
  const byTask = groupBy(rows, ({ taskId }) => taskId);
  const changes = [...byTask.values()].map((own) => mergeTask(own, projectId));
  return changes.filter((change) => change !== undefined).sort((a, b) => comparePoints(a.point, b.point));
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
    point: rows.map(pointOf).reduce((least, each) => (comparePoints(each, least) < 0 ? each : least)),
    presentSpace: first.presentSpace,
  };
}

interface State {
  exists: boolean;
  projectId: string | undefined;
}

/**
 * A move deletes the task in one space and creates it in another. The first row of a space has the state before, its
 * last one the state after.
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
  // It did not move. Tag changes are logged for the tags' owner, others in the task's space.
  const own = [...spaces.values()].find((of) => !of.every(isOfTags)) ?? rows;
  return {
    before: { exists: true, projectId: firstProject(own) },
    after: { exists: true, projectId: own.at(-1)?.projectId },
  };
}

const firstProject = ([first]: LogRow[]) => first?.previousProjectId ?? first?.projectId;
const isOfTags = ({ fields }: LogRow) => fields.length === 1 && fields[0] === 'tags';
const pointOf = ({ spaceId, revision, historyNonce }: LogRow): SpacePoint => ({
  space: spaceId,
  revision,
  historyNonce,
});
