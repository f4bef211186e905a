import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { makeTask } from '../kit/make.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { signUp, type User } from '../kit/users.ts';
import * as repeating from './repeating.ts';

const { makeRepeating, complete, dayIn, nextIdOf, openOccurrence, refusedPaths, reload, trySkip, update } = repeating;

let service: Service;
let anna: User;
beforeAll(async () => {
  service = await sharedService();
});
beforeEach(async () => {
  anna = await signUp(service);
});

/** A zone in which it is between 12:00 and 13:00. */
async function zoneAtNoon(): Promise<{ timeZone: string; today: string }> {
  const [row] = await service.sql<{ hour: number }>(`SELECT extract(hour FROM now() AT TIME ZONE 'UTC')::int AS hour`);
  const offset = (row?.hour ?? 12) - 12;
  const timeZone = offset === 0 ? 'UTC' : `Etc/GMT${offset > 0 ? '+' : ''}${offset}`;
  return { timeZone, today: await dayIn(service, timeZone) };
}

/** A day by arithmetic. */
const plus = (day: string, days: number) => new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10);

/** The dates of a task whose occurrences are completed one after the other. */
async function datesAfter(task: repeating.RepeatingTask, count: number): Promise<(string | null)[]> {
  const dates = [];
  for (let number = 1; number <= count; number += 1) {
    await complete(anna, (await openOccurrence(anna, task)).id);
    const { dueDate, dueTime } = await openOccurrence(anna, task);
    dates.push(dueTime ?? dueDate);
  }
  return dates;
}

describe('the next date by the schedule', () => {
  test.each(['Pacific/Kiritimati', 'Pacific/Pago_Pago', 'UTC'])(
    'in %s is today after 50 missed days, and tomorrow after today’s',
    async (timeZone) => {
      const [start, today, tomorrow] = [
        await dayIn(service, timeZone, -50),
        await dayIn(service, timeZone),
        await dayIn(service, timeZone, 1),
      ];
      const task = await makeRepeating(anna, { timeZone }, { dueDate: start });
      expect(await datesAfter(task, 2)).toEqual([today, tomorrow]);
      const found = await repeating.occurrencesOf(anna, task);
      expect(found.map(({ recurrence }) => recurrence?.number)).toEqual([1, 51, 52]);
    },
  );

  test('is today until the time has passed', async () => {
    const { timeZone, today } = await zoneAtNoon();
    for (const [time, expected] of [
      ['14:00', today],
      ['11:00', plus(today, 1)],
    ] as const) {
      const dueDate = plus(today, -3);
      // The zone has whole hours.
      const offset = Number(/[+-]\d+$/.exec(timeZone)?.[0] ?? 0);
      const dueTime = new Date(Date.parse(`${dueDate}T${time}:00Z`) + offset * 3_600_000).toISOString();
      const task = await makeRepeating(anna, { timeZone }, { dueDate, dueTime, isAllDay: false });
      expect(task.recurrence).toMatchObject({ time });
      await complete(anna, task.id);
      expect(await openOccurrence(anna, task)).toMatchObject({ dueDate: expected, recurrence: { time } });
    }
  });

  test('after early completion is the date after the date', async () => {
    const task = await makeRepeating(anna, { rule: 'FREQ=WEEKLY' }, { dueDate: '2040-01-02' });
    expect(await datesAfter(task, 3)).toEqual(['2040-01-09', '2040-01-16', '2040-01-23']);
  });

  test('is at the same local time, although the clocks change', async () => {
    const recurrence = { rule: 'FREQ=DAILY', timeZone: 'Europe/Berlin' };
    const task = await makeRepeating(anna, recurrence, { dueTime: '2030-03-30T01:30:00Z', isAllDay: false });
    expect(await datesAfter(task, 2)).toEqual(['2030-03-31T01:30:00.000Z', '2030-04-01T00:30:00.000Z']);
    expect((await openOccurrence(anna, task)).recurrence?.time).toBe('02:30');
  });

  test('of Monday evenings in Los Angeles is a Monday there', async () => {
    const recurrence = { rule: 'FREQ=WEEKLY;BYDAY=MO', timeZone: 'America/Los_Angeles' };
    const task = await makeRepeating(anna, recurrence, { dueTime: '2040-01-03T04:00:00Z', isAllDay: false });
    expect(await datesAfter(task, 2)).toEqual(['2040-01-10T04:00:00.000Z', '2040-01-17T04:00:00.000Z']);
    expect((await openOccurrence(anna, task)).dueDate).toBe('2040-01-16');
  });

  test('never drifts', async () => {
    const task = await makeRepeating(anna, { rule: 'FREQ=MONTHLY' }, { dueDate: '2030-01-31' });
    expect(await datesAfter(task, 3)).toEqual(['2030-03-31', '2030-05-31', '2030-07-31']);
  });

  test('counts missed dates, and none is left after the last', async () => {
    const missed = { dueDate: await dayIn(service, 'UTC', -2) };
    const task = await makeRepeating(anna, { rule: 'FREQ=DAILY;COUNT=4' }, missed);
    await complete(anna, task.id);
    expect(await openOccurrence(anna, task)).toMatchObject({ recurrence: { number: 3 } });
    const over = await makeRepeating(anna, { rule: 'FREQ=DAILY;COUNT=2' }, missed);
    await complete(anna, over.id);
    expect(await repeating.occurrencesOf(anna, over)).toHaveLength(1);
  });
});

test('each date follows, past or not', async () => {
  const day = async (months: number) => {
    const query = `SELECT to_char(date_trunc('month', now() AT TIME ZONE 'UTC') + $1 * interval '1 month', 'YYYY-MM-DD') AS day`;
    return (await service.sql<{ day: string }>(query, [months]))[0]?.day ?? '';
  };
  const rent = { rule: 'FREQ=MONTHLY', basis: 'EACH' };
  const task = await makeRepeating(anna, rent, { dueDate: await day(-4) });
  const expected = [await day(-3), await day(-2), await day(-1), await day(0), await day(1)];
  expect(await datesAfter(task, 5)).toEqual(expected);
});

describe('the next date after the completion', () => {
  const plants = { rule: 'FREQ=DAILY;INTERVAL=2', basis: 'COMPLETION' };

  test('counts from today in the zone of the series', async () => {
    // In one of them it is another day than in UTC.
    for (const timeZone of ['Pacific/Kiritimati', 'Pacific/Pago_Pago']) {
      const task = await makeRepeating(anna, { ...plants, timeZone }, { dueDate: '2040-01-01' });
      await complete(anna, task.id);
      expect(await openOccurrence(anna, task)).toMatchObject({
        dueDate: await dayIn(service, timeZone, 2),
        recurrence: { number: 2, start: '2040-01-01' },
      });
    }
  });

  test.each<[string, number, number]>([
    ['a day between the creation and today', -3, -1],
    ['today', 0, 2],
    ['a day later than today', 5, 2],
    ['a day earlier than the creation', -30, -8],
  ])('or from completedOn: %s', async (_name, completedOn, expected) => {
    for (const bulk of [true, false]) {
      const task = await makeRepeating(anna, plants, { dueDate: '2026-01-01' });
      await service.sql(`UPDATE tasks SET created_at = now() - interval '10 days' WHERE id = $1`, [task.id]);
      const input = { completed: true, completedOn: await dayIn(service, 'UTC', completedOn) };
      if (bulk) await repeating.updateMany(anna, [task.id], input);
      else await update(anna, task.id, input);
      const next = await openOccurrence(anna, task);
      expect(next.dueDate).toBe(await dayIn(service, 'UTC', expected));
      // It changes nothing else.
      const [{ recent } = { recent: false }] = await service.sql<{ recent: boolean }>(
        `SELECT completed_at > now() - interval '1 hour' AS recent FROM tasks WHERE id = $1`,
        [task.id],
      );
      expect(recent).toBe(true);
    }
  });

  test('with completedOn changes no other series, and no task alone', async () => {
    const [task, plain] = [await makeRepeating(anna), await makeTask(anna)];
    expect(await update(anna, task.id, { completedOn: '2020-01-01' })).toEqual(task);
    expect(await repeating.updateMany(anna, [task.id, plain.id], { completedOn: '2020-01-01' })).toBe(2);
    await complete(anna, task.id, { completedOn: '2020-01-01' });
    expect(await openOccurrence(anna, task)).toMatchObject({ dueDate: '2040-01-02' });
  });

  test('in a month that is too short is its last day', async () => {
    const task = await makeRepeating(anna, { rule: 'FREQ=MONTHLY', basis: 'COMPLETION' }, { dueDate: '2026-01-01' });
    await service.sql(`UPDATE tasks SET created_at = '2026-01-01' WHERE id = $1`, [task.id]);
    await complete(anna, task.id, { completedOn: '2026-01-31' });
    expect(await openOccurrence(anna, task)).toMatchObject({ dueDate: '2026-02-28' });
  });
});

describe('skipping an occurrence', () => {
  test('moves the same task to its next date, with the dates of its subtasks', async () => {
    const due = { dueDate: '2030-03-29', dueTime: '2030-03-29T08:00:00Z', isAllDay: false };
    const task = await makeRepeating(anna, { rule: 'FREQ=WEEKLY', timeZone: 'Europe/Berlin' }, due);
    const child = await makeTask(anna, { parentId: task.id, ...due });
    const deep = await makeTask(anna, { parentId: child.id, dueDate: '2030-03-30' });
    const done = await makeTask(anna, { parentId: task.id });
    await update(anna, done.id, { completed: true });
    await update(anna, task.id, { dueDate: '2030-05-05', isAllDay: true });
    const before = await reload(anna, done.id);
    const { headers, status } = await anna.post(`/api/v2/todo/${task.id}/skip`);
    expect(status).toBe(200);
    expect(headers.get('x-operation-id')).toMatch(/^op_/);
    const moved = { dueDate: '2030-04-05', dueTime: '2030-04-05T07:00:00.000Z', isAllDay: false, completed: false };
    expect(await repeating.occurrencesOf(anna, task)).toMatchObject([
      { id: task.id, ...moved, recurrence: { ...task.recurrence, date: '2030-04-05', number: 2 } },
    ]);
    expect(await reload(anna, child.id)).toMatchObject(moved);
    expect(await reload(anna, deep.id)).toMatchObject({ dueDate: '2030-04-06', dueTime: null });
    expect(await reload(anna, done.id)).toEqual(before);
  });

  test('counts from today after the completion', async () => {
    const task = await makeRepeating(anna, { rule: 'FREQ=DAILY;INTERVAL=3', basis: 'COMPLETION' });
    await trySkip(anna, task.id);
    expect(await openOccurrence(anna, task)).toMatchObject({ dueDate: await dayIn(service, 'UTC', 3) });
  });

  test('is an operation with the changed fields', async () => {
    const task = await makeRepeating(anna);
    const { changes } = await anna.data<{ changes: { cursor: string } }>('{ changes { cursor } }');
    await trySkip(anna, task.id);
    const found = await anna.get<{ changes: object[] }>(`/api/v2/changes?after=${encodeURIComponent(changes.cursor)}`);
    expect(found.body.changes).toMatchObject([{ kind: 'updated', changedFields: ['dueDate', 'recurrence'] }]);
  });

  test('is refused at id for a task that is completed, does not repeat, or has no later date', async () => {
    const [plain, done] = [await makeTask(anna), await makeRepeating(anna)];
    await complete(anna, done.id);
    const last = await makeRepeating(anna, { rule: 'FREQ=DAILY;COUNT=2' });
    await trySkip(anna, last.id);
    for (const { id } of [plain, done, last]) {
      const before = await reload(anna, id);
      expect(refusedPaths(await trySkip(anna, id))).toEqual(['id']);
      expect(await anna.post(`/api/v2/todo/${id}/skip`)).toMatchObject({
        status: 400,
        body: { errors: [{ path: 'id' }] },
      });
      expect(await reload(anna, id)).toEqual(before);
    }
    expect(refusedPaths(await trySkip(anna, nextIdOf(plain.id)))).toEqual(['NOT_FOUND']);
    expect(refusedPaths(await trySkip(anna, 'nonsense'))).toEqual(['NOT_FOUND']);
  });
});
