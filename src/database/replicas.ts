import pg from 'pg';
import type { ResponseBudget } from '../kernel/budget.ts';
import { TaskgateError } from '../kernel/errors.ts';
import { log } from '../kernel/logger.ts';
import { counter, gauge, labelledGauge } from '../kernel/metrics.ts';
import { inTime } from '../kernel/within.ts';
import { isAwayState } from './health.ts';
import { type Lineage, lineageColumns, lineageOf, type Objection, objections, objectionTo } from './lineage.ts';
import { currentTransaction } from './operation.ts';
import { statementName } from './statement-names.ts';

/** After it, the replica is left out. */
const checkMs = 1_000;
const watchMs = 1_000;

const reads = counter(
  'taskgate_replica_reads_total',
  'Statements that were offered to read replicas, by outcome: all but those served went to the primary.',
  'outcome',
);
gauge('taskgate_replicas_available', 'Read replicas that are not left out.', () => available().length);
const leftOut = labelledGauge(
  'taskgate_replicas_left_out',
  'Read replicas that are left out, by the reason.',
  'reason',
);
for (const reason of Object.keys(objections)) {
  leftOut.track(reason, () => replicas.filter(({ objection }) => objection === reason).length);
}

/** Of `DATABASE_READ_URLS`. It serves reads while it is a standby of the primary. */
class Replica {
  readonly pool: pg.Pool;
  readonly #name: string;
  #objection: Objection | 'new' | undefined = 'new';

  constructor(name: string, pool: pg.Pool) {
    this.#name = name;
    this.pool = pool;
  }

  /** Undefined if it is in use. */
  get objection(): Objection | 'new' | undefined {
    return this.#objection;
  }

  judge(objection: Objection | undefined, details: { error?: unknown; timeline?: number } = {}): void {
    if (objection === this.#objection) return;
    this.#objection = objection;
    const replica = this.#name;
    if (!objection) return log.info({ replica }, 'a read replica is used');
    const fields = { replica, reason: objection, ...details, primaryTimeline: primaryLineage?.timeline };
    // With both servers of a failover in `DATABASE_READ_URLS`, one is always the primary.
    const level = objection === 'primary' ? 'info' : 'warn';
    log[level](fields, `a read replica ${objections[objection]}: it is left out`);
  }

  judgeError(error: unknown): void {
    this.judge(isAway(error) ? 'away' : 'unknown', { error });
  }

  /** Never rejects. */
  async compare(): Promise<void> {
    try {
      const lineage = await lineageOf(this.pool, checkMs);
      this.judge(objectionTo(lineage, primaryLineage), { timeline: lineage.timeline });
    } catch (error) {
      this.judgeError(error);
    }
  }
}

let replicas: readonly Replica[] = [];
const available = () => replicas.filter(({ objection }) => objection === undefined);
let turn = 0;

/** Kept while the primary is unavailable: no read begins without the primary. */
let primaryLineage: Lineage | undefined;
let watching: NodeJS.Timeout | undefined;

async function watch(from: pg.Pool): Promise<void> {
  const watched = replicas;
  const lineage = await inTime(checkMs, lineageOf(from, checkMs)).catch((error: unknown) =>
    isAway(error) ? primaryLineage : undefined,
  );
  if (watched !== replicas) return;
  primaryLineage = lineage;
  await Promise.all(watched.map((replica) => replica.compare()));
  if (watched === replicas) watching = setTimeout(() => void watch(from), watchMs).unref();
}

export function openReplicas(from: pg.Pool, pools: ReadonlyMap<string, pg.Pool>): void {
  replicas = [...pools].map(([name, pool]) => new Replica(name, pool));
  if (replicas.length > 0) void watch(from);
}

export async function closeReplicas(): Promise<void> {
  clearTimeout(watching);
  const closed = replicas;
  [replicas, primaryLineage] = [[], undefined];
  await Promise.all(closed.map(({ pool }) => pool.end()));
}

/** Later reads of an operation must not see an older state. */
const chosen = new WeakMap<ResponseBudget, Replica | 'primary'>();

function replicaFor(budget: ResponseBudget): Replica | undefined {
  if (replicas.length === 0 || !budget.seen || currentTransaction()) return undefined;
  const previous = chosen.get(budget);
  if (previous) return previous === 'primary' || previous.objection ? undefined : previous;
  const candidates = available();
  const replica = candidates[(turn += 1) % candidates.length];
  if (replica) chosen.set(budget, replica);
  return replica;
}

/** For a read on the primary. A replica may be older than it. */
export function notePrimary(budget: ResponseBudget): void {
  if (replicas.length > 0) chosen.set(budget, 'primary');
}

/** Other errors concern the statement. */
const isAway = (error: unknown) =>
  !(error instanceof pg.DatabaseError) || isAwayState(error.code) || /^(28|3D|53)/.test(error.code ?? '');

/** Has another state, or cannot keep a snapshot. */
export class UnfitError extends Error {
  override readonly name = 'UnfitError';
}

const inTimeOf = <Row extends object>(on: pg.ClientBase, statement: pg.QueryConfig) =>
  on.query<Row>(Object.assign(statement, { query_timeout: checkMs }));

/**
 * Requires a standby of the primary with each space exactly at the caller's revision. A later one may be of another
 * history, even with the same timeline number, if two standbys were promoted at once.
 */
const hasSame = `/* hasSame */
  SELECT ${lineageColumns},
    count(*)::int = cardinality($1::text[]) AND coalesce(sum(related.revision), 0) = $4::numeric AS "hasSame"
  FROM unnest($1::text[], $2::bigint[], $3::integer[]) AS seen (id, revision, nonce)
  JOIN spaces ON (spaces.id, spaces.revision, spaces.history_nonce) = (seen.id, seen.revision, seen.nonce)
  JOIN related_revisions AS related ON related.space_id = spaces.id`;

/** A standby never goes back, so later reads on the connection are not older. @throws {UnfitError} */
async function requireSame(
  replica: Replica,
  client: pg.ClientBase,
  { points, relatedRevision }: NonNullable<ResponseBudget['seen']>,
): Promise<void> {
  const all = [...points];
  const values = [
    all.map(([id]) => id),
    all.map(([, { revision }]) => revision),
    all.map(([, { historyNonce }]) => historyNonce),
    relatedRevision,
  ];
  // No pooler leads to a replica.
  const statement = { name: statementName(hasSame), text: hasSame, values };
  const [row] = (await inTimeOf<Lineage & { hasSame: boolean }>(client, statement)).rows;
  if (row) replica.judge(objectionTo(row, primaryLineage), { timeline: row.timeline });
  if (row?.hasSame !== true || replica.objection) throw new UnfitError();
}

/** Without feedback, a standby stops its replay during a long read, or cancels the read. @throws {UnfitError} */
export async function requireFeedback(client: pg.ClientBase): Promise<void> {
  const { rows } = await inTimeOf<{ hot_standby_feedback: string }>(client, { text: 'SHOW hot_standby_feedback' });
  if (rows[0]?.hot_standby_feedback !== 'on') throw new UnfitError();
}

/**
 * Reads on a replica in exactly the budget's `seen` state; otherwise, or after a failure, on the primary.
 * @param read first runs `first` on its connection
 */
export async function preferReplica<Result>(
  budget: ResponseBudget,
  primary: pg.Pool,
  read: (from: pg.Pool, first?: (client: pg.ClientBase) => Promise<void>) => Promise<Result>,
): Promise<Result> {
  const replica = replicaFor(budget);
  const { seen } = budget;
  if (replica && seen) {
    try {
      const result = await read(replica.pool, (client) => requireSame(replica, client, seen));
      reads.inc({ outcome: 'served' });
      return result;
    } catch (error) {
      budget.signal?.throwIfAborted();
      if (error instanceof TaskgateError) throw error;
      const isUnfit = error instanceof UnfitError;
      if (!isUnfit && isAway(error)) replica.judgeError(error);
      reads.inc({ outcome: isUnfit && !replica.objection ? 'behind' : 'failed' });
    }
  }
  notePrimary(budget);
  return read(primary);
}
