import { afterAll, afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { generateNKeysBetween } from 'fractional-indexing';
import { newId } from '../../src/platform/ids.ts';
import { lanes } from '../../src/notifications/kinds.ts';
import { createTestDatabase, sqlAt } from '../kit/postgres.ts';
import { dataFolders, endServices, spawnService } from '../kit/process.ts';
import { accessService } from '../kit/service.ts';
import { openCountingSink } from '../kit/smtp-sink.ts';
import { until } from '../kit/until.ts';
import { signUpByMail, type User } from '../kit/users.ts';

const taskCount = 10_000;
const sentAtKill = 5;

const folders = dataFolders();
let sink: Awaited<ReturnType<typeof openCountingSink>>;
let databaseUrl: string;
beforeEach(async () => {
  [sink, databaseUrl] = [await openCountingSink(), await createTestDatabase()];
});
afterEach(async () => {
  await endServices('SIGKILL');
  await sink.close();
});
afterAll(() => folders.remove());

const spawn = async (variables: Record<string, string>, dataDir?: string) =>
  spawnService({
    DATA_DIR: dataDir ?? (await folders.make()),
    DATABASE_URL: databaseUrl,
    SESSION_SECRET: 'a secret of the tests',
    // Retries are warnings.
    LOG_LEVEL: 'error',
    ...variables,
  });

/** Signs up at another process, whose mails go to files. */
async function makeUser(): Promise<User> {
  const dataDir = await folders.make();
  const service = await spawn({}, dataDir);
  const user = await signUpByMail(accessService(service.url ?? '', dataDir));
  service.signal('SIGTERM');
  await service.ended;
  return user;
}

/** Makes tasks that are all due in half an hour. Their reminders are due now. */
const makeDueTasks = ({ id }: User): Promise<unknown> =>
  sqlAt(
    databaseUrl,
    `INSERT INTO tasks (id, space_id, project_id, title, is_all_day, due_time, reminder, sort_key)
     SELECT task.id, project.space_id, project.id, 'task ' || task.id, false,
       date_trunc('minute', now() + interval '30 minutes'), true, task.sort_key
     FROM projects AS project CROSS JOIN unnest($2::text[], $3::text[]) AS task (id, sort_key)
     WHERE project.space_id = $1`,
    [id, Array.from({ length: taskCount }, () => newId('Task')), generateNKeysBetween(null, null, taskCount)],
  );

const findReminders = () =>
  sqlAt<{ id: string; taskId: string; status: string }>(
    databaseUrl,
    `SELECT id, task_id AS "taskId", status FROM deliveries WHERE kind = 'REMINDER'`,
  );

describe(`${taskCount} reminders of one user in one minute, sent by two processes, one of them killed`, () => {
  test('are all sent in few mails, each once except mails in flight at the kill, which keep their Message-ID', async () => {
    const anna = await makeUser();
    const killed = await spawn({ SMTP_URL: sink.url });
    const other = await spawn({ SMTP_URL: sink.url });
    await makeDueTasks(anna);
    await sink.untilMet(`${sentAtKill} mails`, () => sink.copies.size >= sentAtKill);
    killed.signal('SIGKILL');
    expect(await killed.ended).toBe('SIGKILL');
    await until('all mails have ended', async () => {
      const planned = await findReminders();
      return planned.length >= taskCount && planned.every(({ status }) => status !== 'PLANNED');
    });

    const reminders = await findReminders();
    expect(new Set(reminders.map(({ taskId }) => taskId)).size).toBe(taskCount);
    expect(reminders.filter(({ status }) => status !== 'SENT')).toEqual([]);
    const ids = new Set(reminders.map(({ id }) => `<${id}@localhost>`));
    expect([...sink.copies.keys()].filter((id) => !ids.has(id))).toEqual([]);
    const copies = [...sink.copies.values()].reduce((sum, each) => sum + each);
    const inFlight = Object.values(lanes).reduce((sum, each) => sum + each);
    expect(copies).toBeLessThanOrEqual(sink.copies.size + inFlight);
    expect(other.errors()).toBe('');
  }, 300_000);
});
