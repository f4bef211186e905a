import { runSql } from '@taskgate/postgres';
import { Prisma } from '../../src/generated/prisma/client.ts';
import { Connections, type Database } from '../../src/platform/database.ts';
import { LogReader } from '../../src/platform/log-reader.ts';
import type { LockHolder } from '../kit/locks.ts';
import { createTestDatabase, sqlAt } from '../kit/postgres.ts';

const { sql } = Prisma;

/** A database with readers of the log, which note changes and spaces in the table `seen`. */
export class LogStage {
  readonly databaseUrl: string;
  readonly connections: Connections;
  readonly otherProcess: Connections;
  #revision = 0;

  private constructor(databaseUrl: string) {
    this.databaseUrl = databaseUrl;
    this.connections = new Connections(databaseUrl);
    this.otherProcess = new Connections(databaseUrl);
  }

  static async open(): Promise<LogStage> {
    const stage = new LogStage(await createTestDatabase());
    await stage.sql('CREATE TABLE seen (n bigint GENERATED ALWAYS AS IDENTITY, reader text, id text)');
    return stage;
  }

  sql<Row extends object>(text: string, values?: unknown[]): Promise<Row[]> {
    return sqlAt<Row>(this.databaseUrl, text, values);
  }

  /** @param options.readsSpaces whether it reads all spaces at first */
  reader(name: string, { readsSpaces = false } = {}): LogReader {
    return new LogReader(name, {
      changes: sql`INSERT INTO seen (reader, id) SELECT ${name}, operation_id FROM page`,
      ...(readsSpaces && { spaces: sql`INSERT INTO seen (reader, id) SELECT ${name}, id FROM page` }),
    });
  }

  /** A reader that has read everything. */
  async currentReader(name: string): Promise<LogReader> {
    const reader = this.reader(name);
    await this.readAll(reader);
    return reader;
  }

  /** In the order of reading. */
  async seenBy(name: string): Promise<string[]> {
    const rows = await this.sql<{ id: string }>('SELECT id FROM seen WHERE reader = $1 ORDER BY n', [name]);
    return rows.map(({ id }) => id);
  }

  /** Logs a change, as the triggers do. */
  write(id: string, { by = this, part = 0 }: { by?: Pick<LockHolder, 'sql'>; part?: number } = {}): Promise<unknown> {
    return by.sql(
      `INSERT INTO changes (space_id, revision, part, type, kind, entity_ids, entity_count, operation_id, history_nonce, period)
       VALUES ('space', $1, $2, 'TASK', 'CREATED', ARRAY[$3], 1, $3, 1, 0)`,
      [(this.#revision += 1), part, id],
    );
  }

  makeSpaces(...ids: string[]): Promise<unknown> {
    return this.sql(
      "INSERT INTO spaces (id, kind, name) SELECT id, 'WORKSPACE', 'shared' FROM unnest($1::text[]) AS id",
      [ids],
    );
  }

  async hasPage(reader: LogReader): Promise<boolean> {
    const [row] = await runSql<{ has: boolean }>(this.connections, sql`SELECT ${reader.hasPage} AS has`);
    return row?.has === true;
  }

  /** @returns whether the process held the lock */
  async readPage(reader: LogReader, limit = 1000, process = this.connections): Promise<boolean> {
    const read = async (tx: Database) => {
      await reader.readPage(tx, limit);
      return true;
    };
    return (await reader.locked(process, read)) ?? false;
  }

  async readAll(reader: LogReader, limit?: number): Promise<void> {
    while (await this.hasPage(reader)) await this.readPage(reader, limit);
  }

  /** Reads a page, and runs `work` before its transaction ends. */
  withinPage(reader: LogReader, work: () => Promise<unknown>): Promise<unknown> {
    return reader.locked(this.connections, async (tx) => {
      await reader.readPage(tx, 1000);
      await work();
    });
  }

  async close(): Promise<void> {
    await Promise.all([this.connections.close(), this.otherProcess.close()]);
  }
}
