import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { nextId } from '../../packages/recurrence/series.ts';
import { changePreferences, dayMs, hourMs, minuteMs } from './deliveries.ts';
import { dueAt, openStage, type Stage, update } from './stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

test('the next occurrence has the reminder of its own date', async () => {
  const { anna } = stage;
  await stage.reset();
  const task = await dueAt(anna, 2 * hourMs);
  await anna.put(`/api/v2/todo/${task.id}/recurrence`, { rule: 'FREQ=DAILY', basis: 'each', timeZone: 'Asia/Tokyo' });
  const planned = await stage.reminderRows(anna, task);
  expect(planned).toEqual(['90m PLANNED']);
  await update(anna, task, { completed: true });
  const next = { id: nextId(task.id) };
  expect(await stage.reminderRows(anna, task)).not.toContain('90m PLANNED');
  expect(await stage.reminderRows(anna, next)).toEqual([`${90 + dayMs / minuteMs}m PLANNED`]);
  // A series has its own zone.
  await changePreferences(anna, { timeZone: 'America/New_York' });
  expect(await stage.reminderRows(anna, next)).toEqual([`${90 + dayMs / minuteMs}m PLANNED`]);
  await update(anna, task, { completed: false });
  expect(await stage.reminderRows(anna, task)).toContain('90m PLANNED');
});
