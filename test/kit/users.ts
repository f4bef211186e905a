import { createHmac } from 'node:crypto';
import { deviceOf, fingerprintOf } from '../../src/accounts/sign-in/device.ts';
import { newSessionId } from '../../src/accounts/sessions/data.ts';
import { newId } from '../../src/platform/ids.ts';
import { slugOf } from '../../src/projects/slug.ts';
import { Client } from './client.ts';
import { randomEmail, randomName } from './random.ts';
import type { ServiceAccess, Service } from './service.ts';

export class User extends Client {
  readonly id: string;
  readonly email: string;
  readonly password: string;

  constructor(
    service: { url: string },
    cookie: string | undefined,
    account: { id: string; email: string; password: string },
  ) {
    super(service.url, cookie);
    this.id = account.id;
    this.email = account.email;
    this.password = account.password;
  }
}

export async function requestCode(service: ServiceAccess, email: string): Promise<string> {
  const { status, body } = await service.anonymous.post('/api/v1/user/signup/send-otp', { email });
  if (status !== 200) throw new Error(`send-otp answered ${status}: ${JSON.stringify(body)}`);
  return service.mailbox.takeCode(email);
}

export async function signUpByMail(service: ServiceAccess, { email = randomEmail() } = {}): Promise<User> {
  const password = randomName('password');
  const client = service.client();
  const code = await requestCode(service, email);
  const { status, body } = await client.post('/api/v1/user/signup/verify', { email, code, password });
  if (status !== 200) throw new Error(`verify answered ${status}: ${JSON.stringify(body)}`);
  const profile = await client.get<{ user: { id: string } }>('/api/v1/user/profile');
  return new User(service, client.cookie, { id: profile.body.user.id, email, password });
}

/** Password and hash of all accounts created by SQL. Hashing takes 60 ms of CPU. */
const knownPassword = {
  password: 'correct horse battery staple',
  hash: '$2b$10$rGn.wYhBe.ya9UoG4E433eNZVfXzEsVKg7un4dkI0ARsreX2W3/2m',
} as const;

/** Creates a signed-in account by SQL, like {@link signUpByMail} in a fiftieth of the time. */
export async function signUp(service: Service, { email = randomEmail() } = {}): Promise<User> {
  const { secrets, accounts } = service.services;
  const [id, inboxId, sessionId, sid] = [newId('User'), newId('Project'), newId('Session'), newSessionId()];
  // The user agent of `fetch`.
  const device = deviceOf('node');
  await service.sql(
    `WITH space AS (INSERT INTO spaces (id, kind) VALUES ($1, 'PERSONAL')),
      account AS (INSERT INTO users (id, email, password_hash) VALUES ($1, $2, $3)),
      preference AS (INSERT INTO preferences (user_id) VALUES ($1)),
      membership AS (INSERT INTO memberships (space_id, user_id) VALUES ($1, $1)),
      inbox AS (INSERT INTO projects (id, space_id, name, slug, is_default) VALUES ($4, $1, 'Inbox', $5, true)),
      device AS (INSERT INTO known_devices (user_id, fingerprint) VALUES ($1, $6))
    INSERT INTO sessions (sid, id, user_id, device, expire) VALUES ($7, $8, $1, $9, now() + interval '14 days')`,
    [
      id,
      email,
      knownPassword.hash,
      inboxId,
      slugOf('Inbox', inboxId),
      fingerprintOf(accounts.secret, id, device, '127.0.0.1'),
      sid,
      sessionId,
      device,
    ],
  );
  const signature = createHmac('sha256', secrets[0] ?? '')
    .update(sid)
    .digest('base64')
    .replace(/=+$/, '');
  return new User(service, `sid=${encodeURIComponent(`s:${sid}.${signature}`)}`, {
    id,
    email,
    password: knownPassword.password,
  });
}

export async function signInAgain(
  service: { url: string },
  { id, email, password }: User,
  headers: Record<string, string> = {},
): Promise<User> {
  const client = new Client(service.url);
  const { status, body } = await client.post('/api/v1/user/signin', { email, password }, { headers });
  if (status !== 200) throw new Error(`signin answered ${status}: ${JSON.stringify(body)}`);
  return new User(service, client.cookie, { id, email, password });
}
