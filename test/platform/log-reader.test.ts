import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { runSql } from '@taskgate/postgres';
import { Prisma } from '../../src/generated/prisma/client.ts';
import { openLockHolder } from '../kit/locks.ts';
import { until } from '../kit/until.ts';
import { LogStage } from './log-stage.ts';

const { sql } = Prisma;
const future = '999999999999:999999999999:';
let stage: LogStage;

beforeAll(async () => {
  stage = await LogStage.open();
});
beforeEach(() => stage.sql("TRUNCATE log_readers, seen, changes; DELETE FROM spaces WHERE kind = 'WORKSPACE'"));
afterAll(() => stage.close());

describe('a reader of the log', () => {
  test('reads a change once', async () => {
    const reader = await stage.currentReader('one');
    await stage.write('first');
    expect(await stage.hasPage(reader)).toBe(true);
    await stage.readAll(reader);
    expect([await stage.seenBy('one'), await stage.hasPage(reader)]).toEqual([['first'], false]);
    await stage.write('second');
    await stage.readAll(reader);
    expect(await stage.seenBy('one')).toEqual(['first', 'second']);
  });

  test('misses no transaction that begins before others and commits after them', async () => {
    const reader = await stage.currentReader('one');
    const [early, late] = [await openLockHolder(stage), await openLockHolder(stage)];
    await stage.write('early', { by: early });
    await stage.write('late', { by: late });
    await stage.write('between');
    await stage.readAll(reader);
    expect(await stage.seenBy('one')).toEqual(['between']);
    await late.release();
    await stage.readAll(reader);
    await early.release();
    await stage.readAll(reader);
    expect(await stage.seenBy('one')).toEqual(['between', 'late', 'early']);
  });

  test('never reads what was rolled back', async () => {
    const reader = await stage.currentReader('one');
    const writer = await openLockHolder(stage);
    await stage.write('undone', { by: writer });
    await stage.readAll(reader);
    await writer.sql('ROLLBACK');
    await writer.release();
    await stage.readAll(reader);
    expect(await stage.seenBy('one')).toEqual([]);
  });

  test('never cuts a part, and continues within a transaction', async () => {
    const reader = await stage.currentReader('one');
    const writer = await openLockHolder(stage);
    for (const [id, part] of [
      ['a', 0],
      ['b', 0],
      ['c', 0],
      ['d', 1],
      ['e', 2],
    ] as const) {
      await stage.write(id, { by: writer, part });
    }
    await writer.release();
    const pages: string[] = [];
    while (await stage.hasPage(reader)) {
      await stage.readPage(reader, 2);
      pages.push((await stage.seenBy('one')).join(''));
    }
    expect(pages).toEqual(['abc', 'abcde', 'abcde']);
  });

  test('leaves a change that is committed between two pages to the next round', async () => {
    const reader = await stage.currentReader('one');
    const early = await openLockHolder(stage);
    await stage.write('early', { by: early });
    for (const id of ['a', 'b']) await stage.write(id);
    await stage.readPage(reader, 1);
    await early.release();
    await stage.write('late');
    for (let page = 0; page < 2; page += 1) await stage.readPage(reader, 1);
    expect(await stage.seenBy('one')).toEqual(['a', 'b']);
    await stage.readAll(reader, 1);
    expect(await stage.seenBy('one')).toEqual(['a', 'b', 'early', 'late']);
  });

  test('keeps its position if the statement of a page fails', async () => {
    const reader = await stage.currentReader('one');
    await stage.write('refused');
    await stage.sql("ALTER TABLE seen ADD CONSTRAINT refused CHECK (id <> 'refused')");
    await expect(stage.readPage(reader)).rejects.toThrow('refused');
    await stage.sql('ALTER TABLE seen DROP CONSTRAINT refused');
    await stage.readAll(reader);
    expect(await stage.seenBy('one')).toEqual(['refused']);
  });

  test('names the time of the oldest change that it has not read', async () => {
    const reader = await stage.currentReader('one');
    const oldest = async () =>
      (await runSql<{ at: Date }>(stage.connections, sql`SELECT ${reader.oldest} AS at`))[0]?.at;
    expect(await oldest()).toBeNull();
    await stage.write('late');
    await stage.write('early');
    const at = new Date('2026-11-24T12:00:00Z');
    await stage.sql("UPDATE changes SET at = $1 WHERE operation_id = 'early'", [at]);
    expect(await oldest()).toEqual(at);
    await stage.readAll(reader);
    expect(await oldest()).toBeNull();
  });
});

describe('a new reader', () => {
  test('begins at the end of the log', async () => {
    await stage.write('before');
    const reader = await stage.currentReader('new');
    await stage.write('after');
    await stage.readAll(reader);
    expect(await stage.seenBy('new')).toEqual(['after']);
  });

  test('reads all spaces by pages if it needs them, and then the changes since the first page', async () => {
    const reader = stage.reader('new', { readsSpaces: true });
    const ids = ['space_a', 'space_b', 'space_c'];
    await stage.makeSpaces(...ids);
    await stage.write('before');
    const early = await openLockHolder(stage);
    await stage.write('early', { by: early });
    await stage.readPage(reader, 2);
    expect(await stage.seenBy('new')).toEqual(ids.slice(0, 2));
    await stage.write('after');
    await early.release();
    await stage.readAll(reader, 2);
    expect(await stage.seenBy('new')).toEqual([...ids, 'early', 'after']);
  });

  test('of two processes at its first page, one reads', async () => {
    const reader = stage.reader('new');
    const waiting = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    let second: Promise<boolean> | undefined;
    await stage.withinPage(reader, async () => {
      second = stage.readPage(reader, 1000, stage.otherProcess);
      await until('the other process waits', async () => (await stage.sql(waiting)).length === 1);
    });
    expect(await second).toBe(false);
    expect(await stage.sql('SELECT name FROM log_readers')).toEqual([{ name: 'new' }]);
  });

  test('has a page after its row was deleted by hand', async () => {
    const reader = await stage.currentReader('one');
    await stage.sql('DELETE FROM log_readers');
    expect(await stage.hasPage(reader)).toBe(true);
    await stage.readAll(reader);
    await stage.write('after');
    await stage.readAll(reader);
    expect(await stage.seenBy('one')).toEqual(['after']);
  });
});

describe('of two processes', () => {
  test('one reads, and the other does not wait', async () => {
    const reader = await stage.currentReader('one');
    await stage.write('first');
    await stage.withinPage(reader, async () => {
      expect(await stage.readPage(reader, 1000, stage.otherProcess)).toBe(false);
    });
    expect(await stage.readPage(reader, 1000, stage.otherProcess)).toBe(true);
    expect(await stage.seenBy('one')).toEqual(['first']);
  });

  test('the other reads the page again if the first fails before its commit', async () => {
    const reader = await stage.currentReader('one');
    await stage.write('first');
    const failing = stage.withinPage(reader, () => Promise.reject(new Error('the process ends')));
    await expect(failing).rejects.toThrow('the process ends');
    expect(await stage.seenBy('one')).toEqual([]);
    await stage.readPage(reader, 1000, stage.otherProcess);
    expect(await stage.seenBy('one')).toEqual(['first']);
  });
});

describe('readers with different names', () => {
  test('do not wait for each other', async () => {
    const [one, two] = [await stage.currentReader('one'), await stage.currentReader('two')];
    await stage.write('first');
    await stage.withinPage(one, async () => {
      expect(await stage.readPage(two, 1000, stage.otherProcess)).toBe(true);
      expect([await stage.seenBy('one'), await stage.seenBy('two')]).toEqual([[], ['first']]);
    });
    expect(await stage.seenBy('one')).toEqual(['first']);
  });

  test('have positions of their own, also between two pages', async () => {
    const [one, two] = [await stage.currentReader('one'), await stage.currentReader('two')];
    const ids = ['a', 'b', 'c'];
    for (const id of ids) await stage.write(id);
    await stage.readPage(two, 1);
    await stage.readAll(one);
    expect([await stage.seenBy('one'), await stage.seenBy('two')]).toEqual([ids, ['a']]);
    expect([await stage.hasPage(one), await stage.hasPage(two)]).toEqual([false, true]);
    await stage.sql("DELETE FROM log_readers WHERE name = 'one'");
    await stage.readAll(two);
    expect([await stage.seenBy('one'), await stage.seenBy('two')]).toEqual([ids, ids]);
  });
});

describe('in a restored database', () => {
  test('a reader of another history begins at the end of the log', async () => {
    const reader = await stage.currentReader('one');
    await stage.write('restored');
    await stage.sql('UPDATE log_readers SET position = $1', [future]);
    expect(await stage.hasPage(reader)).toBe(true);
    await stage.readAll(reader);
    await stage.write('new');
    await stage.readAll(reader);
    expect(await stage.seenBy('one')).toEqual(['new']);
  });

  test.each([
    ['position', { position: future, target: null, after: '' }],
    ['position and target', { position: future, target: future, after: '' }],
    ['target, between pages of spaces', { position: null, target: future, after: 'space_b' }],
    ['target, between pages of changes', { position: '3:3:', target: future, after: '' }],
  ])('a reader of spaces reads them again after another %s', async (_label, { position, target, after }) => {
    const reader = stage.reader('one', { readsSpaces: true });
    const ids = ['space_a', 'space_b', 'space_c'];
    await stage.makeSpaces(...ids);
    await stage.sql('INSERT INTO log_readers (name, position, target, after_space_id) VALUES ($1, $2, $3, $4)', [
      'one',
      position,
      target,
      after,
    ]);
    await stage.readAll(reader, 2);
    await stage.write('new');
    await stage.readAll(reader);
    expect(await stage.seenBy('one')).toEqual([...ids, 'new']);
  });

  test('changes of another history are not read', async () => {
    const reader = await stage.currentReader('one');
    await stage.write('restored');
    await stage.sql('UPDATE changes SET transaction_id = transaction_id + 1000000000000');
    expect(await stage.hasPage(reader)).toBe(false);
    await stage.write('new');
    await stage.readAll(reader);
    expect(await stage.seenBy('one')).toEqual(['new']);
  });
});
