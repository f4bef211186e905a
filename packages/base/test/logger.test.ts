import { readFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { log } from '../logger.ts';
import { type CapturedLog, captureLog } from '../../../test/kit/log-lines.ts';
import { type Service, startService } from '../../../test/kit/service.ts';

let service: Service;
let captured: CapturedLog;
beforeAll(async () => {
  service = await startService({ LOG_LEVEL: 'info' });
});
afterAll(() => service.close());
beforeEach(() => {
  captured = captureLog();
});
afterEach(() => captured.release());

async function logged(work: PromiseLike<unknown>): Promise<unknown> {
  await work.then(
    () => undefined,
    (error: unknown) => log.error({ error }, 'a test failed'),
  );
  return captured.lines[0]?.['error'];
}

describe('an error in the log', () => {
  test('of PostgreSQL has its SQLSTATE, from the pool and through Prisma', async () => {
    const { db, pool } = service.services.connections;
    expect(await logged(pool.query('SELECT 1 / 0'))).toMatchObject({
      type: 'error',
      message: 'division by zero',
      code: '22012',
      severity: 'ERROR',
      stack: expect.stringContaining('division by zero'),
    });
    captured.lines.length = 0;
    expect(JSON.stringify(await logged(db.$queryRaw`SELECT 1 / 0`))).toContain('"22012"');
  });

  test('of the system has code, errno and system call', async () => {
    expect(await logged(readFile('/nowhere'))).toMatchObject({ code: 'ENOENT', errno: -2, syscall: 'open' });
  });

  test('has its causes, and no properties that a library has added', async () => {
    const cause = Object.assign(new Error('inner'), { code: 'ECONNREFUSED', parameters: ['hunter2'] });
    const error = Object.assign(new Error('outer', { cause }), { body: '{"password": "hunter2"}', request: {} });
    expect(await logged(Promise.reject(error))).toEqual({
      type: 'Error',
      message: 'outer',
      stack: expect.any(String),
      cause: { type: 'Error', message: 'inner', stack: expect.any(String), code: 'ECONNREFUSED' },
    });
    captured.lines.length = 0;
    const circular = new Error('circular');
    circular.cause = circular;
    expect(await logged(Promise.reject(new AggregateError([circular], 'several')))).toMatchObject({
      message: 'several',
      errors: [{ message: 'circular' }],
    });
  });
});

test('a text of a client is a value in a line, never a separate line', () => {
  const forged = 'x"}\n{"level":60,"msg":"forged"}\r\u2028\u001b[2J';
  log.info({ operation: forged }, 'a line');
  expect(captured.lines).toEqual([expect.objectContaining({ level: 30, operation: forged, msg: 'a line' })]);
});

describe.each([
  'password',
  'currentPassword',
  'newPassword',
  'code',
  'cookie',
  'Cookie',
  'set-cookie',
  'authorization',
  'token',
])('%s', (name) => {
  test('is never logged, at any depth', () => {
    for (let depth = 0; depth < 10; depth += 1) {
      let line: Record<string, unknown> = { [name]: '314159', kept: depth };
      for (let level = 0; level < depth; level += 1) line = level % 2 === 0 ? { inner: line } : { list: [line] };
      log.info(line, 'a line');
      log.info({ error: new Error('shown'), ...line }, 'beside an error');
    }
    expect(captured.lines.length).toBeGreaterThan(0);
    expect(JSON.stringify(captured.lines)).not.toContain('314159');
    expect(JSON.stringify(captured.lines)).toContain('"kept":3');
    expect(JSON.stringify(captured.lines)).toContain('shown');
  });
});
