import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { holdIntervals, releaseIntervals } from '../kit/intervals.ts';
import { invite, makeTask, makeWorkspace } from '../kit/make.ts';
import { randomEmail } from '../kit/random.ts';
import { type Service, startService } from '../kit/service.ts';
import { signInAgain, signUp, type User } from '../kit/users.ts';
import { until } from '../kit/until.ts';

const hour = 3_600_000;

let service: Service;
let anna: User;
let advance: (milliseconds: number) => void;
beforeAll(async () => {
  advance = holdIntervals();
  service = await startService();
  anna = await signUp(service);
});
afterAll(async () => {
  releaseIntervals();
  await service.close();
});

interface OutdatedRows {
  make: () => Promise<unknown>;
  count: () => Promise<number>;
}

const rows = (make: () => Promise<unknown>, countSql: string): OutdatedRows => ({
  make,
  count: async () => (await service.sql(`SELECT FROM ${countSql}`)).length,
});

const kinds: [string, OutdatedRows][] = [
  [
    'sessions',
    rows(async () => {
      await signInAgain(service, anna);
      await service.sql(
        'UPDATE sessions SET expire = created_at WHERE sid = (SELECT sid FROM sessions ORDER BY created_at DESC LIMIT 1)',
      );
    }, 'sessions WHERE expire <= now()'),
  ],
  [
    'known devices',
    rows(
      () =>
        service.sql(
          `INSERT INTO known_devices (user_id, fingerprint, last_seen_at) VALUES ($1, 'old', now() - interval '181 days')`,
          [anna.id],
        ),
      `known_devices WHERE fingerprint = 'old'`,
    ),
  ],
  [
    'sign-up codes',
    rows(async () => {
      await service.anonymous.post('/api/v1/user/signup/send-otp', { email: 'late@example.com' });
      await service.sql(
        `UPDATE one_time_codes SET created_at = created_at - interval '24 hours' WHERE email = 'late@example.com'`,
      );
    }, `one_time_codes WHERE email = 'late@example.com'`),
  ],
  [
    'rate limits',
    rows(
      () => service.sql(`INSERT INTO rate_limits (key, points, expires_at) VALUES ('old', 1, now())`),
      `rate_limits WHERE key = 'old'`,
    ),
  ],
  [
    'answers kept under idempotency keys',
    rows(async () => {
      await anna.put('/api/v1/user/name', { name: 'Anna' }, { headers: { 'Idempotency-Key': randomUUID() } });
      await service.sql(`UPDATE idempotency_keys SET created_at = created_at - interval '14 days'`);
    }, 'idempotency_keys'),
  ],
  [
    'failed attempts',
    rows(
      () =>
        service.sql(
          `INSERT INTO password_attempts (subject, at, failed) VALUES ('old', now() - interval '15 minutes', true)`,
        ),
      `password_attempts WHERE subject = 'old'`,
    ),
  ],
  [
    'invitations',
    rows(async () => {
      const id = await invite(anna, (await makeWorkspace(anna)).id, randomEmail());
      await service.sql('UPDATE invitations SET expires_at = created_at WHERE id = $1', [id]);
    }, 'invitations WHERE expires_at <= now()'),
  ],
  [
    'changes of tasks',
    rows(async () => {
      await makeTask(anna);
      await service.sql(
        `UPDATE log_period SET began_at = began_at - interval '8 days', raised_at = began_at - interval '1 hour', raised_snapshot = pg_current_snapshot()`,
      );
      await service.sql('UPDATE changes SET period = 1');
    }, `changes WHERE period = 1 AND type = 'TASK'`),
  ],
];

describe('rows that nothing needs any more are deleted within an hour', () => {
  test.each(kinds)('%s', async (_label, { make, count }) => {
    // A pruning that an earlier test triggered may still run and delete the first rows.
    let createdCount = 0;
    for (let tries = 0; tries < 5 && createdCount === 0; tries += 1) {
      await make();
      createdCount = await count();
    }
    expect(createdCount).toBe(1);
    advance(hour);
    await until('it is deleted', async () => (await count()) === 0);
  });
});
