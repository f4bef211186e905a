import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startServer } from '../../packages/postgres-server/server.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'taskgate-server-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** Starts a program that logs these lines instead of PostgreSQL, and ends. */
async function start(...lines: string[]) {
  const postgres = path.join(folder, 'postgres');
  await writeFile(postgres, `#!/bin/sh\n${lines.map((line) => `echo '${line}' >&2\n`).join('')}exit 1\n`, {
    mode: 0o755,
  });
  const { signal } = new AbortController();
  return startServer({ folder, postgres, account: undefined, durable: true, endpoint: undefined, signal });
}

test.each(['the database system is starting up', 'the database system is not yet accepting connections'])(
  'the reason of a server that ends is its own, and not that it refused a connection: %s',
  async (refusal) => {
    const own = 'PANIC:  could not write to file "pg_wal/xlogtemp.9": No space left on device';
    await expect(start(`FATAL:  ${refusal}`, own)).rejects.toThrow(
      /^PostgreSQL does not start: could not write to file "pg_wal\/xlogtemp.9": No space left on device$/,
    );
    await expect(start(`FATAL:  ${refusal}`)).rejects.toThrow('PostgreSQL does not start: it ended immediately');
  },
);
