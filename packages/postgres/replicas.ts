import pg from 'pg';
import { counter, gauge, inTime, labelledGauge, log, TaskgateError } from '@taskgate/base';
import type { ReadBudget, SpaceStates } from './read-budget.ts';
import { isAwayState } from './health.ts';
import { type Lineage, lineageColumns, lineageOf, type Objection, objections, objectionTo } from './lineage.ts';
import { currentTransaction } from './operation.ts';
import type { StatementNames } from './statement-names.ts';

/** A replica whose check takes longer is left out. */
const checkMs = 1_000;
const watchMs = 1_000;

const reads = counter(
  'taskgate_replica_reads_total',
  'Statements that were offered to read replicas, by outcome: all but those served went to the primary.',
  'outcome',
);
const available = gauge('taskgate_replicas_available', 'Read replicas that are not left out.');
const leftOut = labelledGauge(
  'taskgate_replicas_left_out',
  'Read replicas that are left out, by the reason.',
  'reason',
);

/** A server of `DATABASE_READ_URLS`. It serves reads while it is a standby of the primary. */
class Replica {
  readonly pool: pg.Pool;
  readonly #name: string;
  readonly #primary: () => Lineage | undefined;
  #objection: Objection | 'new' | undefined = 'new';

  /**
   * @param name as in the metrics of its pool
   * @param primary returns the primary's lineage, if it is known
   */
  constructor(name: string, pool: pg.Pool, primary: () => Lineage | undefined) {
    this.#name = name;
    this.pool = pool;
    this.#primary = primary;
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
    const fields = { replica, reason: objection, ...details, primaryTimeline: this.#primary()?.timeline };
    // With both servers of a failover in `DATABASE_READ_URLS`, one is always the primary.
    const level = objection === 'primary' ? 'info' : 'warn';
    log[level](fields, `a read replica ${objections[objection]}: it is left out`);
  }

  judgeLineage(lineage: Lineage): void {
    this.judge(objectionTo(lineage, this.#primary()), { timeline: lineage.timeline });
  }

  judgeError(error: unknown): void {
    this.judge(isAway(error) ? 'away' : 'unknown', { error });
  }

  /** Never rejects. */
  async compare(): Promise<void> {
    try {
      this.judgeLineage(await lineageOf(this.pool, checkMs));
    } catch (error) {
      this.judgeError(error);
    }
  }
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
 * history, if two standbys were promoted at once.
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
  { states, relatedRevision }: SpaceStates,
  names: StatementNames,
): Promise<void> {
  const all = [...states];
  const values = [
    all.map(([id]) => id),
    all.map(([, { revision }]) => revision),
    all.map(([, { historyNonce }]) => historyNonce),
    relatedRevision,
  ];
  // No pooler leads to a replica.
  const statement = { name: names.nameOf(hasSame), text: hasSame, values };
  const [row] = (await inTimeOf<Lineage & { hasSame: boolean }>(client, statement)).rows;
  if (row) replica.judgeLineage(row);
  if (row?.hasSame !== true || replica.objection) throw new UnfitError();
}

/**
 * Requires `hot_standby_feedback`. Without it, a standby stops its replay during a long read, or cancels the read.
 * @throws {UnfitError}
 */
export async function requireFeedback(client: pg.ClientBase): Promise<void> {
  const { rows } = await inTimeOf<{ hot_standby_feedback: string }>(client, { text: 'SHOW hot_standby_feedback' });
  if (rows[0]?.hot_standby_feedback !== 'on') throw new UnfitError();
}

/** The read replicas of a primary. They are compared with it at intervals. */
export class Replicas {
  readonly #replicas: readonly Replica[];
  readonly #primary: pg.Pool;
  readonly #names: StatementNames;
  /** Kept while the primary is unavailable: no read begins without the primary. */
  #lineage: Lineage | undefined;
  #turn = 0;
  /** Later reads of an operation must not see an older state. */
  readonly #chosen = new WeakMap<ReadBudget, Replica | 'primary'>();
  #watching: NodeJS.Timeout | undefined;
  #isClosed = false;

  /**
   * @param primary leads to the primary
   * @param pools by their names in metrics
   */
  constructor(primary: pg.Pool, pools: ReadonlyMap<string, pg.Pool>, names: StatementNames) {
    this.#primary = primary;
    this.#names = names;
    this.#replicas = [...pools].map(([name, pool]) => new Replica(name, pool, () => this.#lineage));
    available.track(() => this.#available.length);
    for (const reason of Object.keys(objections)) {
      leftOut.track(reason, () => this.#replicas.filter(({ objection }) => objection === reason).length);
    }
    if (this.#replicas.length > 0) void this.#watch();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#watching);
    await Promise.all(this.#replicas.map(({ pool }) => pool.end()));
  }

  /** Notes a read on the primary. A replica may be older than it. */
  notePrimary(budget: ReadBudget): void {
    if (this.#replicas.length > 0) this.#chosen.set(budget, 'primary');
  }

  /**
   * Reads on a replica in exactly the budget's `requiredState`; otherwise, or after a failure, on the primary.
   * @param read first runs `first` on its connection
   */
  async prefer<Result>(
    budget: ReadBudget,
    primary: pg.Pool,
    read: (from: pg.Pool, first?: (client: pg.ClientBase) => Promise<void>) => Promise<Result>,
  ): Promise<Result> {
    const replica = this.#replicaFor(budget);
    const { requiredState } = budget;
    if (replica && requiredState) {
      try {
        const result = await read(replica.pool, (client) => requireSame(replica, client, requiredState, this.#names));
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
    this.notePrimary(budget);
    return read(primary);
  }

  #watchAgain(): void {
    if (!this.#isClosed) this.#watching = setTimeout(() => void this.#watch(), watchMs).unref();
  }

  get #available(): readonly Replica[] {
    return this.#replicas.filter(({ objection }) => objection === undefined);
  }

  #replicaFor(budget: ReadBudget): Replica | undefined {
    if (this.#replicas.length === 0 || !budget.requiredState || currentTransaction()) return undefined;
    const previous = this.#chosen.get(budget);
    if (previous) return previous === 'primary' || previous.objection ? undefined : previous;
    const candidates = this.#available;
    const replica = candidates[(this.#turn += 1) % candidates.length];
    if (replica) this.#chosen.set(budget, replica);
    return replica;
  }

  async #watch(): Promise<void> {
    const lineage = await inTime(checkMs, lineageOf(this.#primary, checkMs)).catch((error: unknown) =>
      isAway(error) ? this.#lineage : undefined,
    );
    if (this.#isClosed) return;
    this.#lineage = lineage;
    await Promise.all(this.#replicas.map((replica) => replica.compare()));
    this.#watchAgain();
  }
}
