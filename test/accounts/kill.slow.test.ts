import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { Client } from '../kit/client.ts';
import { openLockHolder } from '../kit/locks.ts';
import { Mailbox } from '../kit/mailbox.ts';
import { createTestDatabase } from '../kit/postgres.ts';
import { dataFolders, endServices, type ServiceProcess, spawnService } from '../kit/process.ts';
import { lyingProvider, PublicBrowser, makePerson } from '../kit/providers.ts';
import { until } from '../kit/until.ts';

const publicUrl = 'http://127.0.0.1:39749';
const folders = dataFolders();
let variables: Record<string, string>;
let mailbox: Mailbox;
let provider: Awaited<ReturnType<typeof lyingProvider>>;
let database: pg.Client;
let service: ServiceProcess & { url: string };

beforeAll(async () => {
  const [DATA_DIR, DATABASE_URL] = [await folders.make(), await createTestDatabase()];
  mailbox = new Mailbox(DATA_DIR);
  provider = await lyingProvider('taskgate');
  database = new pg.Client({ connectionString: DATABASE_URL });
  await database.connect();
  const fixed = { SESSION_SECRET: 'a secret that outlives the process', PUBLIC_URL: publicUrl, RATE_LIMITS: 'off' };
  const issuer = { OIDC_LIAR_ISSUER: provider.issuer, OIDC_LIAR_CLIENT_ID: 'taskgate' };
  variables = { DATA_DIR, DATABASE_URL, ...fixed, ...issuer };
  service = await start();
});
afterAll(async () => {
  await endServices('SIGKILL');
  await database.end();
  await provider.close();
  await folders.remove();
});

async function start() {
  const started = await spawnService(variables);
  if (started.url === undefined) throw new Error(started.errors());
  return { ...started, url: started.url };
}

/** Prepares a sign-up. @returns a function that sends its last request, and says whether it succeeded */
const signUpMethods: Record<string, (email: string) => Promise<() => Promise<boolean>>> = {
  async provider(email) {
    provider.person = makePerson({ email });
    const browser = new PublicBrowser(service, publicUrl);
    const callback = await browser.goToCallback('/api/v1/auth/liar?returnTo=/home');
    return async () => (await browser.visit(callback)).location === '/home';
  },
  async code(email) {
    const client = new Client(service.url);
    await client.post('/api/v1/user/signup/send-otp', { email });
    const code = await mailbox.takeCode(email);
    return async () =>
      (await client.post('/api/v1/user/signup/verify', { email, code, password: 'correct horse' })).status === 200;
  },
};

async function partsOf(email: string): Promise<unknown> {
  const { rows } = await database.query(
    `SELECT (SELECT count(*)::int FROM spaces WHERE id = users.id) AS spaces,
       (SELECT count(*)::int FROM memberships WHERE user_id = users.id) AS memberships,
       (SELECT count(*)::int FROM preferences WHERE user_id = users.id) AS preferences,
       (SELECT count(*)::int FROM projects WHERE space_id = users.id AND is_default) AS inboxes,
       password_hash IS NOT NULL OR EXISTS (SELECT FROM provider_links WHERE user_id = users.id) AS "hasWayIn"
     FROM users WHERE email = $1`,
    [email],
  );
  return rows;
}

const completeAccount = [{ spaces: 1, memberships: 1, preferences: 1, inboxes: 1, hasWayIn: true }];
const steps = ['spaces', 'users', 'preferences', 'memberships', 'projects', 'sessions'];

describe.each(Object.keys(signUpMethods))('a process that is killed while it creates an account by %s', (method) => {
  test.each(method === 'provider' ? [...steps, 'provider_links'] : steps)(
    'leaves no account if it is killed while it writes to %s, and the next attempt creates a complete one',
    async (table) => {
      const email = `${method}-${table}@example.com`;
      const make = await signUpMethods[method]?.(email);
      const lockHolder = await openLockHolder({ databaseUrl: variables['DATABASE_URL'] ?? '' });
      await lockHolder.sql(`LOCK TABLE ${table} IN EXCLUSIVE MODE`);
      const pendingSignUp = make?.().catch(() => 'unanswered');
      const blockedStatements = `SELECT FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock' AND query ~ 'INSERT'`;
      await until('it waits for the table', async () => (await database.query(blockedStatements)).rowCount !== 0);
      service.signal('SIGKILL');
      expect(await pendingSignUp).toBe('unanswered');
      await lockHolder.release();
      const openStatements = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'taskgate'`;
      await until('its connections have ended', async () => (await database.query(openStatements)).rowCount === 0);
      expect(await partsOf(email)).toEqual([]);
      service = await start();
      const next = await signUpMethods[method]?.(email);
      expect(await next?.()).toBe(true);
      expect(await partsOf(email)).toEqual(completeAccount);
    },
  );
});
