import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { RestTask } from '../kit/make.ts';
import type { User } from '../kit/users.ts';
import { dayMs, hourMs, minuteMs, prefer, settle, settleAt } from './deliveries.ts';
import { dueAt, moment, noon, openStage, type Stage, update } from './stage.ts';

let stage: Stage;
let anna: User;

beforeAll(async () => {
  stage = await openStage();
  ({ anna } = stage);
});
afterAll(() => stage.close());
beforeEach(() => stage.reset());

const told: Stage['told'] = (user, task) => stage.told(user, task);
const mailsOf: Stage['mailsOf'] = (user, task) => stage.mailsOf(user, task);
/** Moves the clock to a moment after noon, and does what is to be done then. */
const settleAfter = (ms: number) => settleAt(stage.service, stage.clock, noon + ms);

describe('a moment that has passed when it is planned', () => {
  test('is made up for at once while the due moment is ahead', async () => {
    const task = await dueAt(anna, 10 * minuteMs);
    expect(await told(anna, task)).toEqual(['-20m SENT']);
    expect(mailsOf(anna, task)).toBe(1);
  });

  test.each([0, -minuteMs, -400 * dayMs])('is skipped where the task is due by then: at %d ms', async (ms) => {
    const task = await dueAt(anna, ms);
    const skipped = 'SKIPPED The task was due already when its reminder was planned.';
    expect(await told(anna, task)).toEqual([`${ms / minuteMs - 30}m ${skipped}`]);
    expect(mailsOf(anna, task)).toBe(0);
  });
});

describe('an occurrence', () => {
  test('is reminded of once, however often the task is completed and opened again', async () => {
    const task = await dueAt(anna, 2 * hourMs);
    await settleAfter(95 * minuteMs);
    for (const completed of [true, false, true, false]) await update(anna, task, { completed });
    expect(await told(anna, task)).toEqual(['90m SENT']);
    await update(anna, task, { dueTime: moment(4 * hourMs) });
    expect(await told(anna, task)).toEqual(['210m PLANNED', '90m SENT']);
    await settleAfter(210 * minuteMs);
    await update(anna, task, { dueTime: moment(2 * hourMs) });
    await update(anna, task, { dueTime: moment(4 * hourMs) });
    expect(await told(anna, task)).toEqual(['210m SENT', '90m SENT']);
    expect(mailsOf(anna, task)).toBe(2);
  });

  test.each<[string, (task: RestTask) => Promise<unknown>, (task: RestTask) => Promise<unknown>]>([
    ['opened', (task) => update(anna, task, { completed: true }), (task) => update(anna, task, { completed: false })],
    ['wanted', () => prefer(anna, { taskRemainders: false }), () => prefer(anna, { taskRemainders: true })],
  ])('that was skipped is sent at once where it is %s again before the due moment', async (_what, off, on) => {
    const task = await dueAt(anna, 2 * hourMs);
    await settle(stage.service);
    await off(task);
    await settleAfter(100 * minuteMs);
    await on(task);
    expect(await told(anna, task)).toEqual(['90m SENT']);
    expect(mailsOf(anna, task)).toBe(1);
  });

  test('that was skipped stays so where that is after the due moment', async () => {
    const task = await dueAt(anna, 2 * hourMs);
    await settle(stage.service);
    await update(anna, task, { completed: true });
    await settleAfter(121 * minuteMs);
    await update(anna, task, { completed: false });
    expect(await told(anna, task)).toEqual(['90m SKIPPED The task was completed.']);
  });
});

describe('after a time without a process', () => {
  test.each([
    [0, '90m SENT'],
    [89, '90m SENT'],
    [90, '90m SKIPPED The service could not send it until an hour after the task was due.'],
  ])(
    'what was planned is sent at once, until an hour after the due moment: %d minutes late',
    async (late, expected) => {
      const task = await dueAt(anna, 2 * hourMs);
      await settle(stage.service);
      stage.clock.set(noon + (90 + late) * minuteMs);
      expect(await told(anna, task)).toEqual([expected]);
    },
  );
});

test('at most twenty are told of: the planned one, then the latest ones', async () => {
  const task = await dueAt(anna, 30 * dayMs);
  for (let day = 1; day <= 22; day += 1) {
    await settleAfter(day * minuteMs);
    await update(anna, task, { dueTime: moment((30 - day) * dayMs) });
  }
  const [planned, ...past] = await told(anna, task);
  expect(planned).toMatch(/PLANNED$/);
  expect(past).toHaveLength(19);
  const minutes = past.map((each) => parseInt(each, 10));
  expect(minutes).toEqual(minutes.toSorted((one, other) => other - one));
  expect(minutes[0]).toBe((30 * dayMs) / minuteMs - 30);
});

test('what is told is never what was so before, though the task has not changed since', async () => {
  const { id } = await dueAt(anna, 2 * hourMs);
  await settle(stage.service);
  const query = encodeURIComponent(`{ task(id: "${id}") { reminders { status } } }`);
  const get = (headers: Record<string, string>) =>
    anna.get<{ data: unknown }>(`/graphql?query=${query}`, { headers: { 'x-graphql-yoga-csrf': '1', ...headers } });
  const first = await get({});
  expect(first.body.data).toEqual({ task: { reminders: [{ status: 'PLANNED' }] } });
  await settleAfter(90 * minuteMs);
  const second = await get({ 'If-None-Match': first.headers.get('etag') ?? '' });
  expect(second.body.data).toEqual({ task: { reminders: [{ status: 'SENT' }] } });
});
