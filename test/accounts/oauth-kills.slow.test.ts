import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { applicationsOf, codeForm, connect, postForm, type Tokens } from '../kit/application.ts';
import { openLockHolder } from '../kit/locks.ts';
import { endServices, spawnService } from '../kit/process.ts';
import { Program } from '../kit/program.ts';
import { type Service, startService } from '../kit/service.ts';
import { until } from '../kit/until.ts';
import { signUp, type User } from '../kit/users.ts';

const secret = 'a secret that both processes share';

/** Lives on. */
let service: Service;
beforeAll(async () => {
  service = await startService({ SESSION_SECRET: secret });
});
afterEach(() => endServices('SIGKILL'));
afterAll(() => service.close());

async function spawn() {
  const process = await spawnService({ ...service.variables, SESSION_SECRET: secret, RATE_LIMITS: 'off' });
  if (process.url === undefined) throw new Error(process.errors());
  return { ...process, url: process.url };
}

type Form = Record<string, string>;

const untilQuery = (description: string, condition: string) =>
  until(description, async () => (await service.sql(`SELECT FROM pg_stat_activity WHERE ${condition}`)).length > 0);

/** Sends a form to a process that is killed while the statement waits, and thus before the commit. */
async function killAt(statement: string, mode: string, path: string, form: Form): Promise<void> {
  const other = await spawn();
  const holder = await openLockHolder(service);
  await holder.sql(`LOCK TABLE access_tokens IN ${mode} MODE`);
  const pending = postForm(other, path, form).catch(() => 'unanswered');
  await untilQuery(
    'it waits',
    `wait_event_type = 'Lock' AND query LIKE '%/* ${statement} */%' AND pid <> pg_backend_pid()`,
  );
  other.signal('SIGKILL');
  expect(await pending).toBe('unanswered');
  await service.sql(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%/* ${statement} */%' AND pid <> pg_backend_pid()`,
  );
  await holder.release();
}

const exchange = (form: Form) => postForm<Tokens>(service, '/oauth/token', form);

const statusOf = async ({ access_token }: Tokens) =>
  (await new Program(service, access_token).get('/api/v2/todo')).status;

const steps = [
  ['locks the grant', 'lockGrant', 'EXCLUSIVE'],
  ['issues the tokens', 'insertAccessToken', 'SHARE'],
] as const;

const forms = {
  code: (user: User): Promise<Form> => codeForm(service, user),
  'refresh token': async (user: User): Promise<Form> => (await connect(service, user)).refreshForm(),
};

test.each(steps.flatMap((step) => Object.keys(forms).map((name) => [name, ...step] as const)))(
  'a %s is not spent if the process is killed while it %s',
  async (name, _step, statement, mode) => {
    const anna = await signUp(service);
    const form = await forms[name as keyof typeof forms](anna);
    await killAt(statement, mode, '/oauth/token', form);
    // The minute of a code may have passed.
    await service.sql(`UPDATE access_tokens SET expires_at = now() + interval '1 minute' WHERE user_id = $1`, [
      anna.id,
    ]);
    const { status, body } = await exchange(form);
    expect([status, await statusOf(body)]).toEqual([200, 200]);
  },
);

test('a refresh token gives its answer again if the process was killed after the commit', async () => {
  const anna = await signUp(service);
  const application = await connect(service, anna);
  const other = await spawn();
  const pending = postForm(other, '/oauth/token', application.refreshForm()).catch(() => 'unanswered');
  await until('the commit', async () => {
    const [grant] = await service.sql<{ number: number }>(
      'SELECT refresh_number AS number FROM access_tokens WHERE id = $1',
      [application.tokenId],
    );
    return grant?.number === 2;
  });
  other.signal('SIGKILL');
  await pending;
  const [one, two] = [await exchange(application.refreshForm()), await exchange(application.refreshForm())];
  expect(two.body.refresh_token).toBe(one.body.refresh_token);
  expect(two.body.access_token).toBe(one.body.access_token);
  expect(await statusOf(one.body)).toBe(200);
  const next = await exchange(application.refreshForm({ refresh_token: one.body.refresh_token }));
  expect([next.status, await statusOf(next.body)]).toEqual([200, 200]);
});

test('a grant lives if the process is killed while it revokes it, and ends at the next attempt', async () => {
  const anna = await signUp(service);
  const application = await connect(service, anna);
  const form = { token: application.tokens.refresh_token, client_id: application.clientId };
  await killAt('lockGrant', 'EXCLUSIVE', '/oauth/revoke', form);
  expect(await statusOf(application.tokens)).toBe(200);
  expect(await postForm(service, '/oauth/revoke', form)).toMatchObject({ status: 200 });
  expect([await statusOf(application.tokens), await applicationsOf(anna)]).toEqual([401, []]);
});
