import pg from 'pg';
import type { ResponseBudget } from '../kernel/budget.ts';
import { TaskgateError } from '../kernel/errors.ts';
import { log } from '../kernel/logger.ts';
import { counter, gauge } from '../kernel/metrics.ts';
import { isAwayState } from './health.ts';
import { currentTransaction } from './operation.ts';

/** Milliseconds for a replica to say whether it has what a read must include: one that does not is left out. */
const checkMs = 1_000;
/** Milliseconds between two attempts at a replica that is left out. */
const retryMs = 1_000;

const reads = counter(
  'taskgate_replica_reads_total',
  'Statements that were offered to read replicas, by what became of them: those not served went to the primary.',
  'outcome',
);
gauge('taskgate_replicas_available', 'Read replicas that are not left out.', () => available().length);

/** A standby, which answers what it has caught up with. */
class Replica {
  readonly pool: pg.Pool;
  isLeftOut = false;
  #retry: NodeJS.Timeout | undefined;

  constructor(pool: pg.Pool) {
    this.pool = pool;
  }

  /** Offers it nothing until it answers again. */
  leaveOut(error: unknown): void {
    if (this.isLeftOut) return;
    this.isLeftOut = true;
    log.warn({ error }, 'a read replica does not answer: it is left out');
    this.#tryLater();
  }

  #tryLater(): void {
    this.#retry = setTimeout(() => {
      inTimeOf(this.pool, 'SELECT 1', []).then(
        () => {
          this.isLeftOut = false;
          log.info('a read replica answers again');
        },
        () => this.#tryLater(),
      );
    }, retryMs).unref();
  }

  close(): Promise<void> {
    clearTimeout(this.#retry);
    return this.pool.end();
  }
}

let replicas: Replica[] = [];
const available = () => replicas.filter(({ isLeftOut }) => !isLeftOut);
let turn = 0;

/** What the process has, by pools of their connections. */
export function openReplicas(pools: readonly pg.Pool[]): void {
  replicas = pools.map((pool) => new Replica(pool));
}

export async function closeReplicas(): Promise<void> {
  await Promise.all(replicas.splice(0).map((replica) => replica.close()));
}

/** Where an operation reads: what it has read first is not to be newer than what it reads next. */
const chosen = new WeakMap<ResponseBudget, Replica | 'primary'>();

function replicaFor(budget: ResponseBudget): Replica | undefined {
  if (replicas.length === 0 || !budget.seen || currentTransaction()) return undefined;
  const known = chosen.get(budget);
  if (known) return known === 'primary' || known.isLeftOut ? undefined : known;
  const there = available();
  const replica = there[(turn += 1) % there.length];
  // Before it is read: what is read with it is of the same server.
  if (replica) chosen.set(budget, replica);
  return replica;
}

/** To be called where an operation reads on the primary: no replica may have less than that. */
export function notePrimary(budget: ResponseBudget): void {
  if (replicas.length > 0) chosen.set(budget, 'primary');
}

/** Whether a server says by the SQLSTATE that it serves nobody, or not this process: any other error is of the statement. */
const refusesAll = (state: string | undefined) => isAwayState(state) || /^(28|3D|53)/.test(state ?? '');

/** The replica has not caught up with what the operation's caller may have seen, or cannot keep a snapshot. */
export class BehindError extends Error {
  override readonly name = 'BehindError';
}

/** A statement that is answered soon, or whose connection is closed. */
const inTimeOf = <Row extends object>(on: pg.Pool | pg.ClientBase, text: string, values: unknown[]) =>
  on.query<Row>(Object.assign({ text, values }, { query_timeout: checkMs }));

/** A point that is the space's own, or of its history: the replica may have come further than that. */
const hasSeen = `/* hasSeen */
  SELECT count(*)::int = cardinality($1::text[]) AND coalesce(sum(related.revision), 0) >= $4::numeric AS "hasSeen"
  FROM unnest($1::text[], $2::bigint[], $3::integer[]) AS seen (id, revision, nonce)
  JOIN spaces ON spaces.id = seen.id
  JOIN related_revisions AS related ON related.space_id = spaces.id
  WHERE can_resume(spaces, seen.revision, seen.nonce)`;

/** A server only goes forward: what is read on the connection after this is not older. */
async function requireSeen(client: pg.ClientBase, { points, relatedRevision }: NonNullable<ResponseBudget['seen']>) {
  const all = [...points];
  const { rows } = await inTimeOf<{ hasSeen: boolean }>(client, hasSeen, [
    all.map(([id]) => id),
    all.map(([, { revision }]) => revision),
    all.map(([, { historyNonce }]) => historyNonce),
    relatedRevision,
  ]);
  if (rows[0]?.hasSeen !== true) throw new BehindError();
}

/** For what reads for long: a standby that does not tell its primary what it still reads stops replaying for that, or cancels it. */
export async function requireFeedback(client: pg.ClientBase): Promise<void> {
  const { rows } = await inTimeOf<{ hot_standby_feedback: string }>(client, 'SHOW hot_standby_feedback', []);
  if (rows[0]?.hot_standby_feedback !== 'on') throw new BehindError();
}

/**
 * Reads for an operation on a replica that has caught up with what its budget says was seen; on the primary where there is none, or it fails.
 * @param read on a connection of the pool, after `first` where there is one
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
      const result = await read(replica.pool, (client) => requireSeen(client, seen));
      reads.inc({ outcome: 'served' });
      return result;
    } catch (error) {
      budget.signal?.throwIfAborted();
      if (error instanceof TaskgateError) throw error;
      const isBehind = error instanceof BehindError;
      reads.inc({ outcome: isBehind ? 'behind' : 'failed' });
      if (!isBehind && (!(error instanceof pg.DatabaseError) || refusesAll(error.code))) replica.leaveOut(error);
    }
  }
  notePrimary(budget);
  return read(primary);
}
