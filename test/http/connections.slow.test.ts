import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { makeTask, makeTag } from '../kit/make.ts';
import { randomEmail } from '../kit/random.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp, type User } from '../kit/users.ts';
import { until, untilReady } from '../kit/until.ts';

let service: Service;
let anna: User;

beforeAll(async () => {
  service = await startService();
  anna = await signUp(service);
});
afterAll(() => service.close());

const ofService = `datname = current_database() AND application_name = 'taskgate'`;
/** Ends connections of the service, as a failover does. */
const cut = (which = 'true') =>
  service.sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${ofService} AND ${which}`);

async function cutUntil<Result>(work: Promise<Result>, which?: string): Promise<Result> {
  const over = work.then(
    () => true,
    () => true,
  );
  await until('the work has ended', () => Promise.race([over, cut(which).then(() => false)]));
  return work;
}

let release = () => Promise.resolve();
afterEach(() => release());

async function holdSpace(id: string) {
  const holder = new pg.Client({ connectionString: service.databaseUrl });
  await holder.connect();
  await holder.query('BEGIN');
  await holder.query('SELECT lock_spaces($1)', [[id]]);
  let held = true;
  release = async () => {
    if (held) await holder.end();
    held = false;
  };
}

const waiting = `wait_event_type = 'Lock'`;

const unavailable = { status: 503, body: { code: 'UNAVAILABLE' } };

describe('connections that are cut', () => {
  test('while codes are requested: the service survives and responds with 503', async () => {
    const requests = Array.from({ length: 16 }, async () => {
      const answers = [];
      for (let count = 0; count < 4; count += 1) {
        answers.push(await service.anonymous.post('/api/v1/user/signup/send-otp', { email: randomEmail() }));
      }
      return answers;
    });
    const answers = (await cutUntil(Promise.all(requests))).flat();
    for (const { status, headers } of answers) {
      expect([200, 503]).toContain(status);
      if (status === 503) expect(headers.get('retry-after')).toBe('1');
    }
    await untilReady(service);
    await until('codes are sent', async () => {
      const asked = await service.anonymous.post('/api/v1/user/signup/send-otp', { email: randomEmail() });
      return asked.status === 200;
    });
  });

  test('while writes wait for a lock, by one statement, by a transaction, or in the middle of one', async () => {
    const [task, tag] = [await makeTask(anna), await makeTag(anna)];
    await holdSpace(anna.id);
    const writes = [
      anna.post('/api/v2/todo', { title: 'x' }),
      anna.patch(`/api/v2/tag/${tag.id}`, { name: 'renamed' }),
      anna.patch(`/api/v2/todo/${task.id}`, { projectId: null }),
      anna.put('/api/v1/user/user-preferences', { reminderBefore: 20 }),
    ];
    for (const answer of await cutUntil(Promise.all(writes), waiting)) {
      expect(answer).toMatchObject(unavailable);
      expect(answer.headers.get('retry-after')).toBe('1');
    }
    await release();
    expect(await anna.post('/api/v2/todo', { title: 'x' })).toMatchObject({ status: 201 });
  });

  test('over GraphQL the error has its code and its place', async () => {
    await holdSpace(anna.id);
    const write = cutUntil(anna.graphql('mutation { createTag(name: "lost") { id } }'), waiting);
    expect((await write).errors).toMatchObject([
      { path: ['createTag'], extensions: { code: 'UNAVAILABLE', retryAfter: 1 } },
    ]);
    await release();
  });
});

test('sessions and health are read even if operations hold all their connections', async () => {
  const kept = await anna.get('/api/v2/todo');
  const { pool } = service.services.connections;
  const taken = await Promise.all(Array.from({ length: pool.options.max }, () => pool.connect()));
  try {
    expect(await service.anonymous.get('/readyz')).toMatchObject({ status: 200 });
    expect(await anna.get('/api/v2/todo')).toEqual({ ...kept, headers: expect.anything() });
    expect(await service.client('sid=none').get('/api/v2/todo')).toMatchObject({ status: 401 });
  } finally {
    for (const client of taken) client.release();
  }
});
