import pg from 'pg';
import { processIdOf, streamOf } from './connection.ts';
import { log } from '../kernel/logger.ts';
import { gauge } from '../kernel/metrics.ts';
import { inTime, LateError } from '../kernel/within.ts';
import { HangingCommits, unansweredMs, UnansweredError } from './unanswered.ts';

/**
 * How soon an outage of the database is noticed, and its end, in milliseconds. docs/operations.md promises five seconds for
 * each: the rest of them is left to what depends on it.
 */
export const healthLimits = {
  /** Between two probes while the database answers. */
  intervalMs: 1_000,
  /** For one probe: its connection, if there is none, and its answer. A server on a busy machine is to be in time. */
  probeMs: 3_000,
  /** Between two probes while it does not answer. */
  retryMs: 250,
  /** For one of those probes: what is lost by giving it up too soon is a probe. */
  retryProbeMs: 2_000,
  /** For a commit to be acknowledged: as long as an operation that is one transaction may take. */
  commitMs: 5_000,
} as const;

/** Thrown instead of asking the database, while it is away, or takes no commits. */
export class DatabaseAwayError extends Error {
  override readonly name = 'DatabaseAwayError';
  constructor(message = 'the database is unavailable') {
    super(message);
  }
}

/** Those that have not broken by themselves. */
const destroyed = new WeakSet<pg.Client>();

/**
 * Ends a connection at once, without a word to the server, which may never take it. It does not count as lost.
 * @param error of what runs on it
 */
export function destroyConnection(client: pg.Client, error?: Error): void {
  destroyed.add(client);
  streamOf(client).destroy(error);
}

/** Whether a server says by the SQLSTATE that it cannot answer; any other error of its is an answer. */
export const isAwayState = (state: string | undefined): boolean => /^(08|57P)/.test(state ?? '');

let current: DatabaseHealth | undefined;
gauge('taskgate_database_available', 'Whether the database answers: 0 while it is away.', () =>
  Number(current?.isAvailable ?? false),
);
gauge(
  'taskgate_database_writable',
  'Whether the database takes writes: 0 while it is away or read-only, or commits hang.',
  () => Number(current?.isAvailable === true && !current.isReadOnly && !current.commitsHang),
);

/**
 * Knows whether the database answers, by a probe every second on a dedicated connection: a slow statement says nothing
 * about the server, an empty one does. If the probe is not answered in time, and nothing has come on any other
 * connection for as long, the database is unavailable. All connections are destroyed then, so that what waits on them
 * fails at once and none that is dead is ever used again, and nobody but the probe tries to open another, until one is
 * answered.
 */
export class DatabaseHealth {
  readonly #options: pg.ClientConfig;
  /** With the milliseconds that each may take to answer a statement. */
  readonly #connections = new Map<pg.Client, number>();
  /** Those that are probed on: one, and another while it is opened. */
  readonly #probes = new Set<pg.Client>();
  #probe: pg.Client | undefined;
  #checking: Promise<boolean> | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** When it went away, by the process' clock. */
  #awaySince: number | undefined;
  #readOnly = false;
  readonly #hangingCommits = new HangingCommits();
  /** When a connection received something, and when a probe was answered, by the process' clock. */
  #heardAt = -Infinity;
  #answeredAt = performance.now();
  /** Connections that have broken since the last probe that was answered. */
  #lost = 0;
  #closed = false;

  /** @param options of the connections that are probed on */
  constructor(options: pg.ClientConfig) {
    this.#options = { ...options, application_name: 'taskgate-health' };
    // eslint-disable-next-line @typescript-eslint/no-this-alias -- the metrics are those of the last one opened
    current = this;
    this.#schedule();
  }

  get isAvailable(): boolean {
    return this.#awaySince === undefined;
  }

  /** Whether it takes no writes, as a standby does, by the last probe. */
  get isReadOnly(): boolean {
    return this.#readOnly;
  }

  /** Whether it commits, but acknowledges no commit, as a synchronous standby is gone, by the last probe. */
  get commitsHang(): boolean {
    return this.#hangingCommits.areThere;
  }

  /**
   * To be called before a connection is opened: from now on it is destroyed when the database goes away.
   * @param answerMs also after this many milliseconds without an answer to a statement
   * @throws {DatabaseAwayError}
   */
  watch(client: pg.Client, answerMs: number): void {
    if (!this.isAvailable) throw new DatabaseAwayError();
    this.#connections.set(client, answerMs);
    client.once('end', () => this.#connections.delete(client));
  }

  /** Call it when a connection is open: from then on data on it shows that the database is available. */
  listen(client: pg.Client): void {
    streamOf(client).on('data', () => {
      this.#heardAt = performance.now();
    });
  }

  /** A connection could not be opened: whether the database is unavailable is found out at once. */
  suspect(): void {
    if (this.isAvailable && !this.#closed) void this.check();
  }

  /** An open connection broke: as {@link suspect}, and logged where it is not away. One that was destroyed did not break. */
  noteLost(client: pg.Client): void {
    if (destroyed.has(client)) return;
    if (this.isAvailable) this.#lost += 1;
    this.suspect();
  }

  /** Whether it answers; all who ask at once share a probe. Never rejects. */
  check(): Promise<boolean> {
    this.#checking ??= this.#check().finally(() => {
      this.#checking = undefined;
      this.#schedule();
    });
    return this.#checking;
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#destroyProbes();
    await this.#checking;
  }

  get #probeMs(): number {
    return this.isAvailable ? healthLimits.probeMs : healthLimits.retryProbeMs;
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    if (this.#closed) return;
    const sinceResponse = performance.now() - this.#answeredAt;
    const pause = this.isAvailable ? Math.max(0, healthLimits.intervalMs - sinceResponse) : healthLimits.retryMs;
    this.#timer = setTimeout(() => void this.check(), pause).unref();
  }

  async #check(): Promise<boolean> {
    const lost = this.#lost;
    try {
      await this.#askUntilSilent();
    } catch (error) {
      this.#destroyProbes();
      if (this.#closed) return false;
      if (!(error instanceof pg.DatabaseError) || isAwayState(error.code)) {
        this.#goAway(error);
        return false;
      }
    }
    if (this.#closed) return false;
    if (lost > 0 && this.isAvailable) log.warn({ connections: lost }, 'database connections were lost');
    this.#lost -= lost;
    this.#comeBack();
    this.#answeredAt = performance.now();
    if (this.#readOnly) await this.#pollForWritable();
    await this.#endUnanswered();
    return true;
  }

  /** Destroys connections whose statement, or the commit after it, has not been answered in time. */
  async #endUnanswered(): Promise<void> {
    const connections = [...this.#connections].map(([client, answerMs]) => ({
      client,
      answerMs,
      ms: unansweredMs(client),
    }));
    const isSuspect = this.commitsHang || connections.some(({ ms }) => ms > healthLimits.commitMs);
    const hanging = isSuspect && this.#probe ? await this.#hangingCommits.find(this.#probe, healthLimits.probeMs) : [];
    for (const { client, answerMs, ms } of connections) {
      const isLate = ms > answerMs || (ms > healthLimits.commitMs && hanging.includes(processIdOf(client)));
      if (isLate) destroyConnection(client, new UnansweredError());
    }
  }

  /**
   * A probe may be late where others are served: behind a pooler without a free connection, or over a connection that a
   * firewall has forgotten. If the database has just spoken, it has until it was silent for the time of a probe; another
   * connection is tried meanwhile.
   */
  async #askUntilSilent(): Promise<void> {
    for (let left = this.#probeMs; ;) {
      try {
        return await inTime(left, this.#ask());
      } catch (error) {
        left = this.#heardAt + this.#probeMs - performance.now();
        if (!(error instanceof LateError) || !this.isAvailable || this.#closed || left <= 0) throw error;
        this.#destroyProbes();
      }
    }
  }

  async #ask(): Promise<void> {
    const probe = this.#probe;
    // It may have been ended by itself: another one decides.
    const known = probe && (await isReadOnly(probe).catch(() => undefined));
    if (probe !== this.#probe) throw new LateError('the probe was given up');
    if (known !== undefined) return this.#note(known);
    this.#destroyProbes();
    const opened = this.#newProbe();
    this.#probe = opened;
    await opened.connect();
    this.#note(await isReadOnly(opened));
  }

  /**
   * If the server takes no writes, connections that are opened now may lead to another one that does, as after a
   * failover. What is open leads to the former for as long as it lives, and is destroyed.
   */
  async #pollForWritable(): Promise<void> {
    const opened = this.#newProbe();
    const probe = async () => isReadOnly(await opened.connect());
    const readOnly = await inTime(healthLimits.intervalMs, probe()).catch(() => true);
    if (readOnly || this.#closed) return this.#destroyProbe(opened);
    if (this.#probe) this.#destroyProbe(this.#probe);
    this.#probe = opened;
    this.#destroyConnections();
    this.#note(false);
  }

  /** Without a timeout: the caller destroys it to give it up. */
  #newProbe(): pg.Client {
    const client = new pg.Client(this.#options);
    client.on('error', () => this.noteLost(client));
    this.#probes.add(client);
    client.once('end', () => this.#probes.delete(client));
    return client;
  }

  #note(readOnly: boolean): void {
    if (readOnly === this.#readOnly) return;
    this.#readOnly = readOnly;
    if (readOnly) log.error('the database takes no writes');
    else log.info('the database takes writes again');
  }

  #goAway(error: unknown): void {
    if (!this.isAvailable) return;
    this.#awaySince = performance.now();
    log.error({ error }, 'the database is unavailable');
    this.#destroyConnections();
  }

  #comeBack(): void {
    if (this.#awaySince === undefined) return;
    const ms = Math.round(performance.now() - this.#awaySince);
    this.#awaySince = undefined;
    this.#lost = 0;
    log.info({ ms }, 'the database is back');
  }

  #destroyConnections(): void {
    for (const client of [...this.#connections.keys()]) destroyConnection(client);
  }

  #destroyProbes(): void {
    this.#probe = undefined;
    for (const client of [...this.#probes]) this.#destroyProbe(client);
  }

  #destroyProbe(client: pg.Client): void {
    this.#probes.delete(client);
    destroyConnection(client);
  }
}

/** A statement that takes no lock, reads no row, and on a standby says that it is one. */
async function isReadOnly(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ transaction_read_only: string }>('SHOW transaction_read_only');
  return rows[0]?.transaction_read_only === 'on';
}
