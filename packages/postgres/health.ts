import pg from 'pg';
import { gauge, inTime, LateError, log } from '@taskgate/base';
import { processIdOf, streamOf } from './connection.ts';
import { HangingCommits, unansweredMs, UnansweredError } from './unanswered.ts';

/** docs/operations.md promises to detect an outage and its end within five seconds. */
export const healthLimits = {
  intervalMs: 1_000,
  probeMs: 3_000,
  /** Time between probes while the database is unavailable. */
  retryMs: 250,
  retryProbeMs: 2_000,
  /** Time for a commit: as long as for an operation in one transaction. */
  commitMs: 5_000,
} as const;

export class DatabaseAwayError extends Error {
  override readonly name = 'DatabaseAwayError';
  constructor(message = 'the database is unavailable') {
    super(message);
  }
}

/** Connections that this process has closed, so they do not count as lost. */
const destroyed = new WeakSet<pg.Client>();

/**
 * Closes a connection without a message, which a stopped server never reads.
 * @param error for the running statement
 */
export function destroyConnection(client: pg.Client, error?: Error): void {
  destroyed.add(client);
  streamOf(client).destroy(error);
}

/** Whether the server cannot answer. Other errors are answers. */
export const isAwayState = (state: string | undefined): boolean => /^(08|57P)/.test(state ?? '');

const available = gauge('taskgate_database_available', 'Whether the database answers: 0 while it is away.');
const writable = gauge(
  'taskgate_database_writable',
  'Whether the database takes writes: 0 while it is away or read-only, or commits hang.',
);

/**
 * Probes the database with an empty statement every second, on a dedicated connection. If neither the probe nor any
 * connection receives data in time, all connections are destroyed: pending work fails at once, and only probes connect
 * until one succeeds.
 */
export class DatabaseHealth {
  readonly #options: pg.ClientConfig;
  /** Milliseconds for an answer, by connection. */
  readonly #connections = new Map<pg.Client, number>();
  readonly #probes = new Set<pg.Client>();
  #probe: pg.Client | undefined;
  #checking: Promise<boolean> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #awaySince: number | undefined;
  #readOnly = false;
  readonly #hangingCommits = new HangingCommits();
  /** On the process' clock. */
  #heardAt = -Infinity;
  #answeredAt = performance.now();
  /** Since the last successful probe. */
  #lost = 0;
  #closed = false;

  constructor(options: pg.ClientConfig) {
    this.#options = { ...options, application_name: 'taskgate-health' };
    available.track(() => Number(this.isAvailable));
    writable.track(() => Number(this.isAvailable && !this.isReadOnly && !this.commitsHang));
    this.#schedule();
  }

  get isAvailable(): boolean {
    return this.#awaySince === undefined;
  }

  get isReadOnly(): boolean {
    return this.#readOnly;
  }

  /** A synchronous standby is gone, by the last probe. */
  get commitsHang(): boolean {
    return this.#hangingCommits.areThere;
  }

  /**
   * Registers a connection that is not open yet. An outage destroys it.
   * @param answerMs as in `clientClass`
   * @throws {DatabaseAwayError}
   */
  watch(client: pg.Client, answerMs: number): void {
    if (!this.isAvailable) throw new DatabaseAwayError();
    this.#connections.set(client, answerMs);
    client.once('end', () => this.#connections.delete(client));
  }

  listen(client: pg.Client): void {
    streamOf(client).on('data', () => {
      this.#heardAt = performance.now();
    });
  }

  suspect(): void {
    if (this.isAvailable && !this.#closed) void this.check();
  }

  noteLost(client: pg.Client): void {
    if (destroyed.has(client)) return;
    if (this.isAvailable) this.#lost += 1;
    this.suspect();
  }

  /** Concurrent callers share a probe. Never rejects. */
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

  /** Probes until one answers. Behind a full pooler or a firewall, it may be late. While connections receive data, tries again. */
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
    // If the server closed the probe, a new one decides.
    const readOnly = probe && (await isReadOnly(probe).catch(() => undefined));
    if (probe !== this.#probe) throw new LateError('the probe was given up');
    if (readOnly !== undefined) return this.#note(readOnly);
    this.#destroyProbes();
    const opened = this.#newProbe();
    this.#probe = opened;
    await opened.connect();
    this.#note(await isReadOnly(opened));
  }

  /**
   * As after a failover, new connections may reach another, writable server. Connections to the former one are then
   * destroyed.
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

  /** The caller limits its time and destroys it. */
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

async function isReadOnly(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ transaction_read_only: string }>('SHOW transaction_read_only');
  return rows[0]?.transaction_read_only === 'on';
}
