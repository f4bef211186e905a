import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { EventStream } from '../changes/sse.ts';
import { cursorOfNow } from '../changes/stream.ts';
import { Client } from '../kit/client.ts';
import { FaultProxy } from '../kit/fault-proxy.ts';
import { Mailbox } from '../kit/mailbox.ts';
import { pause } from '../kit/pause.ts';
import { OwnPostgres } from '../kit/own-postgres.ts';
import { startTestPostgres } from '../kit/postgres.ts';
import { endServices, spawnService } from '../kit/process.ts';
import { SmallDisk } from '../kit/small-disk.ts';
import { signUpByMail, type User } from '../kit/users.ts';

// npm run outages -- [part of a name]: measures, for each kind of outage, how long clients wait for a response and for the recovery. The exit code is
// 0 if all times are within bounds.

const [nameFilter = ''] = process.argv.slice(2);

/** Bound in seconds, from docs/operations.md, for responses during an outage and for the recovery. */
const maxSeconds = 5;
const readers = 8;
const writers = 4;
/** Seconds of an outage: enough for requests in flight and for new ones. */
const outageSeconds = 8;
const diskMiB = 250;

interface Row {
  fault: string;
  /** Seconds from the fault to the first refusal. */
  'first 503': number;
  /** Longest response time in seconds, of requests before the recovery. */
  'slowest answer': number;
  'reads served': string;
  'read after return': number;
  'write after return': number;
  'stream after return': number;
  /** Acknowledged tasks missing from the stream. */
  'changes missed': number;
  connections: number;
}

/** The command measures outages of a fixed length. No check depends on these waits, except for its bound. */
const wait = (seconds: number) => pause(seconds * 1000);
const rounded = (milliseconds: number) => Math.round(milliseconds / 100) / 10;

interface Sample {
  kind: 'read' | 'write';
  sentAt: number;
  answeredAt: number;
  status: number;
}

class Load {
  readonly samples: Sample[] = [];
  readonly writtenIds: string[] = [];
  #stopped = false;
  readonly #running: Promise<unknown>;

  constructor(user: User) {
    const read = () => user.get('/api/v2/todo');
    const write = async () => {
      const answer = await user.post<{ todo: { id: string } }>('/api/v2/todo', { title: 'Load' });
      if (answer.status === 201) this.writtenIds.push(answer.body.todo.id);
      return answer;
    };
    const all = [
      ...Array.from({ length: readers }, () => 'read'),
      ...Array.from({ length: writers }, () => 'write'),
    ] as const;
    this.#running = Promise.all(all.map((kind) => this.#run(kind as Sample['kind'], kind === 'read' ? read : write)));
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
  }

  async #run(kind: Sample['kind'], send: () => Promise<{ status: number }>) {
    while (!this.#stopped) {
      const sentAt = performance.now();
      // Connection failed: no status.
      const { status } = await send().catch(() => ({ status: 0 }));
      this.samples.push({ kind, sentAt, answeredAt: performance.now(), status });
      await wait(0.02);
    }
  }
}

interface Setup {
  user: User;
  url: string;
  sql: (text: string) => Promise<object[]>;
}

const receivedAt = new Map<string, number>();

async function follow(stream: EventStream): Promise<void> {
  for (;;) {
    const { data = '{}' } = await stream.take();
    const { taskId = '' } = JSON.parse(data) as { taskId?: string };
    receivedAt.set(taskId, performance.now());
  }
}

async function measure(
  setup: Setup,
  fault: string,
  startFault: () => Promise<unknown>,
  endFault: () => Promise<unknown>,
): Promise<Row> {
  const { user, url, sql } = setup;
  const after = await cursorOfNow(user);
  const stream = await EventStream.open({ url }, user, `/api/v2/events?after=${after}`);
  const following = follow(stream).catch(() => undefined);
  const load = new Load(user);
  await wait(1);
  await startFault();
  const startedAt = performance.now();
  await wait(outageSeconds);
  await endFault();
  const ended = performance.now();
  await wait(maxSeconds);
  await load.stop();
  const missed = () => load.writtenIds.filter((id) => !receivedAt.has(id)).length;
  for (let waited = 0; missed() > 0 && waited < maxSeconds; waited += 0.1) await wait(0.1);
  stream.close();
  await following;
  const duringOutage = load.samples.filter(({ sentAt, answeredAt }) => sentAt < ended && answeredAt > startedAt);
  const reads = duringOutage.filter(({ kind }) => kind === 'read');
  const first = (kind: Sample['kind'], status: number, since: number) =>
    Math.min(
      ...load.samples
        .filter((each) => each.kind === kind && each.status === status && each.answeredAt > since)
        .map(({ answeredAt }) => answeredAt - since),
    );
  const open = await sql(`SELECT FROM pg_stat_activity WHERE application_name IN ('taskgate', 'taskgate-health')
    AND backend_type = 'client backend'`);
  const row = {
    fault,
    'first 503': rounded(Math.min(first('read', 503, startedAt), first('write', 503, startedAt))),
    'slowest answer': rounded(
      Math.max(...duringOutage.map(({ sentAt, answeredAt }) => answeredAt - Math.max(sentAt, startedAt))),
    ),
    'reads served': `${Math.round((100 * reads.filter(({ status }) => status === 200).length) / reads.length)} %`,
    'read after return': rounded(first('read', 200, ended)),
    'write after return': rounded(first('write', 201, ended)),
    'stream after return': rounded(Math.min(...[...receivedAt.values()].filter((index) => index > ended)) - ended),
    'changes missed': missed(),
    connections: open.length,
  };
  console.log(JSON.stringify(row));
  return row;
}

async function main(): Promise<Row[]> {
  const disk = await SmallDisk.mount(diskMiB);
  const postgres = await OwnPostgres.start(disk?.folder, { durable: true });
  const proxy = await FaultProxy.open(postgres.url);
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'taskgate-away-'));
  const variables = { DATABASE_URL: proxy.url, DATA_DIR: dataDir, RATE_LIMITS: 'off', LOG_LEVEL: 'warn' };
  const started = await spawnService(variables);
  const { url } = started;
  if (url === undefined) throw new Error(started.errors());
  const endpoint = { url, mailbox: new Mailbox(dataDir), client: () => new Client(url), anonymous: new Client(url) };
  const user = await signUpByMail(endpoint);
  const sql = async (text: string): Promise<object[]> => {
    // Overrides a read-only default of the database.
    const client = new pg.Client({ connectionString: postgres.url, options: '-c default_transaction_read_only=off' });
    await client.connect();
    return client
      .query<object>(text)
      .then(({ rows }) => rows)
      .finally(() => client.end());
  };
  const setup = { url, user, sql };
  const readOnly = async (on: boolean) => {
    await sql(`ALTER DATABASE taskgate SET default_transaction_read_only = ${String(on)}`);
    if (on) await sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'taskgate%'`);
  };
  const set = (mode: 'ok' | 'down' | 'reset' | 'blackhole') => () => proxy.set({ mode });
  try {
    const faults: [string, () => Promise<unknown>, () => Promise<unknown>][] = [
      ['killed, and started again', () => postgres.kill(), () => postgres.startAgain()],
      ['stopped (SIGSTOP)', () => postgres.pause(), () => postgres.resume()],
      ['refuses connections', set('down'), set('ok')],
      ['resets connections', set('reset'), set('ok')],
      ['swallows what is sent', set('blackhole'), set('ok')],
      ['read-only, then another server', () => readOnly(true), () => readOnly(false)],
    ];
    if (disk) faults.push(['disk full', () => disk.fill(), disk.free]);
    const rows: Row[] = [];
    for (const [name, startFault, endFault] of faults) {
      if (name.includes(nameFilter)) rows.push(await measure(setup, name, startFault, endFault));
    }
    return rows;
  } finally {
    await endServices('SIGTERM');
    await proxy.close();
    await postgres.close();
    await disk?.unmount();
    await rm(dataDir, { recursive: true, force: true });
  }
}

// The kit builds the service under a lock on this server.
const server = await startTestPostgres();
try {
  const rows = await main();
  console.table(rows);
  const bounded = ['slowest answer', 'read after return', 'write after return', 'stream after return'] as const;
  const isWithinBounds = rows.every(
    (row) => bounded.every((figure) => row[figure] <= maxSeconds) && row['changes missed'] === 0,
  );
  process.exitCode = isWithinBounds ? 0 : 1;
} finally {
  await server.stop();
}
